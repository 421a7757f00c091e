/** The frame around every screen: places, sessions, connection, banners; and the table of addresses. */

import { useEffect } from "preact/hooks";
import { LocationProvider, lazy, Route, Router, useLocation } from "preact-iso";
import { inbox } from "../live/sessions.ts";
import { Announcer } from "../parts/announce.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Toasts } from "../parts/toast.tsx";
import { InboxScreen } from "../screens/inbox-screen.tsx";
import { SessionsScreen } from "../screens/sessions-screen.tsx";
import { SessionScreen } from "../session/session-screen.tsx";
import { t } from "../words/words.ts";
import { Banner } from "./banner.tsx";
import { useKeys } from "./keys.ts";
import { Overlays } from "./overlays.tsx";
import { Sidebar } from "./sidebar.tsx";
import { useTitle } from "./title.ts";

const ToolsScreen = lazy(() => import("../tools/tools-screen.tsx").then(({ ToolsScreen: one }) => one));
const PolicyScreen = lazy(() => import("../policy/policy-screen.tsx").then(({ PolicyScreen: one }) => one));
const StatesScreen = import.meta.env.DEV ? lazy(() => import("../dev/states-screen.tsx").then(({ StatesScreen: one }) => one)) : undefined;

export function App() {
  return (
    <LocationProvider>
      <Frame />
    </LocationProvider>
  );
}

function Frame() {
  const { path, route } = useLocation();
  useTitle();
  useKeys(route);
  useEffect(() => {
    if (path === "/") route("/s", true);
  }, [path, route]);
  const isInSession = /^\/(?:s|inbox)\/./.test(path);
  return (
    <>
      <a class="btn skip" href="#content">
        {t("skip")}
      </a>
      <div class="app">
        <Sidebar path={path} />
        <div class="main">
          <Banner />
          <main id="content" tabIndex={-1}>
            <Router>
              <Route path="/s" component={SessionsScreen} />
              <Route path="/s/:id/:tab?/:item?" component={SessionScreen} />
              <Route path="/inbox/:id?" component={InboxScreen} />
              <Route path="/tools/:name?" component={ToolsScreen} />
              <Route path="/policy/:tab?" component={PolicyScreen} />
              <Route path="/dev/states" component={StatesScreen ?? NotFound} />
              <Route default component={NotFound} />
            </Router>
          </main>
          {isInSession ? null : <BottomBar path={path} />}
        </div>
      </div>
      <Overlays />
      <Toasts />
      <Announcer />
    </>
  );
}

export const places: readonly {
  readonly href: string;
  readonly key: "inbox" | "sessions" | "tools" | "policy";
  readonly icon: IconName;
}[] = [
  { href: "/inbox", key: "inbox", icon: "inbox" },
  { href: "/s", key: "sessions", icon: "sessions" },
  { href: "/tools", key: "tools", icon: "tools" },
  { href: "/policy", key: "policy", icon: "policy" },
];

function BottomBar({ path }: { readonly path: string }) {
  const { waiting } = inbox.value.counts;
  return (
    <nav class="bottom-bar" aria-label={t("places")}>
      {places.map(({ href, key, icon }) => (
        <a href={href} key={key} aria-current={isAt(path, href) ? "page" : undefined}>
          <Icon name={icon} />
          <span>{t(key)}</span>
          {key === "inbox" && waiting > 0 ? <span class="badge">{waiting}</span> : null}
        </a>
      ))}
    </nav>
  );
}

export function isAt(path: string, href: string): boolean {
  return path === href || path.startsWith(`${href}/`);
}

function NotFound() {
  return (
    <div class="empty">
      <h1 class="strong">{t("notFoundTitle")}</h1>
      <p>{t("notFoundIs")}</p>
      <a class="btn" href="/s">
        {t("sessions")}
      </a>
    </div>
  );
}
