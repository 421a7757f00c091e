/** Starts the console: who is here, then the live line, then the page. */
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/frame.css";
import "./theme/talk.css";
import "./theme/card.css";
import "./theme/screens.css";
import "./theme/compare.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { startApprovals } from "./card/approvals.ts";
import { App } from "./frame/app.tsx";
import { preloadPalette } from "./frame/overlays.tsx";
import { refreshSessions, startLive } from "./live/sessions.ts";
import { learnWho, me } from "./me.ts";
import { startClock } from "./parts/clock.ts";
import { LoginScreen } from "./screens/login-screen.tsx";
import { followSettings } from "./settings.ts";

const retryMs = 2000;

function Root() {
  if (me.value === "unknown") return null;
  return me.value === "nobody" ? <LoginScreen /> : <App />;
}

followSettings();
startClock();
const root = document.getElementById("app");
if (root) render(<Root />, root);

let isLive = false;
effect(() => {
  if (isLive || typeof me.value !== "object") return;
  isLive = true;
  startLive();
  startApprovals();
  preloadPalette();
  refreshSessions().catch(() => {});
});

async function begin(): Promise<void> {
  try {
    await learnWho();
  } catch {
    setTimeout(() => void begin(), retryMs);
  }
}
void begin();
