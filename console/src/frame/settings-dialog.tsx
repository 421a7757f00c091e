/** What the reader can choose, who they are here, and what holds on this machine. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, logOut } from "../api/client.ts";
import { me } from "../me.ts";
import { Dialog } from "../parts/dialog.tsx";
import { change, type Settings, settings } from "../settings.ts";
import type { Key } from "../words/en.ts";
import { t } from "../words/words.ts";

export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const { notifications } = settings.value;
  const askNotifications = async (): Promise<void> => {
    const isAllowed = !notifications && "Notification" in window && (await Notification.requestPermission()) === "granted";
    change({ notifications: isAllowed });
  };
  return (
    <Dialog title={t("settings")} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="inside" tabIndex={0} aria-label={t("settings")}>
        <Choice
          label="language"
          name="language"
          options={[
            ["system", "system"],
            ["en", "English"],
            ["zh", "中文"],
          ]}
        />
        <Choice
          label="theme"
          name="theme"
          options={[
            ["system", "system"],
            ["light", "light"],
            ["dark", "dark"],
          ]}
        />
        <Choice
          label="density"
          name="density"
          options={[
            ["comfortable", "comfortable"],
            ["compact", "compact"],
          ]}
        />
        <Choice
          label="changes"
          name="diff"
          options={[
            ["unified", "unified"],
            ["side", "sideBySide"],
          ]}
        />
        <Switch
          label="singleKeys"
          is="singleKeysIs"
          on={settings.value.singleKeys}
          onChange={() => change({ singleKeys: !settings.value.singleKeys })}
        />
        <Switch label="notifications" is="notificationsIs" on={notifications} onChange={() => void askNotifications()} />
        <Switch label="sound" is="soundIs" on={settings.value.sound} onChange={() => change({ sound: !settings.value.sound })} />
        <div class="field">
          <span class="label">{t("rights")}</span>
          <p class="t2 s13">{typeof me.value === "object" ? `${me.value.user_id} · ${me.value.scopes.join(", ")}` : ""}</p>
          <p class="t3 s12">
            {t("tokensWhere")} <code>karyi token</code>
          </p>
          <button type="button" class="btn self-start" onClick={() => void leave()}>
            {t("logOut")}
          </button>
        </div>
        <Machine />
      </section>
    </Dialog>
  );
}

async function leave(): Promise<void> {
  await logOut();
  location.assign("/");
}

interface ChoiceProps {
  readonly label: Key;
  readonly name: "language" | "theme" | "density" | "diff";
  readonly options: readonly (readonly [string, string])[];
}

function Choice({ label, name, options }: ChoiceProps) {
  return (
    <div class="line wrap">
      <span class="medium s13 grow">{t(label)}</span>
      <div class="seg">
        {options.map(([value, word]) => (
          <button
            type="button"
            key={value}
            aria-pressed={settings.value[name] === value}
            onClick={() => change({ [name]: value } as Partial<Settings>)}
          >
            {isKey(word) ? t(word) : word}
          </button>
        ))}
      </div>
    </div>
  );
}

const wordKeys = new Set<string>(["system", "light", "dark", "comfortable", "compact", "unified", "sideBySide"]);
function isKey(word: string): word is Key {
  return wordKeys.has(word);
}

function Switch({
  label,
  is,
  on,
  onChange,
}: {
  readonly label: Key;
  readonly is: Key;
  readonly on: boolean;
  readonly onChange: () => void;
}) {
  return (
    <label class="line">
      <span class="stack grow">
        <span class="medium s13">{t(label)}</span>
        <span class="t3 s12">{t(is)}</span>
      </span>
      <input type="checkbox" role="switch" class="switch" aria-checked={on} checked={on} onChange={onChange} />
    </label>
  );
}

/** The report of `karyi doctor`, line by line. */
function Machine() {
  const lines = useSignal<readonly (readonly [string, string])[]>([]);
  useEffect(() => {
    api<Record<string, unknown>>("GET", "/doctor").then(
      (report) => (lines.value = flat(report)),
      () => {},
    );
  }, [lines]);
  if (lines.value.length === 0) return null;
  return (
    <div class="field">
      <span class="label">{t("machine")}</span>
      <dl class="facts">{lines.value.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}</dl>
    </div>
  );
}

const deepest = 2;

function flat(value: unknown, name = "", depth = 0): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => {
      const {
        name: own,
        id,
        title,
        status,
        ok,
        detail,
        message,
      } = (typeof one === "object" && one !== null ? one : {}) as Record<string, unknown>;
      const label = own ?? id ?? title ?? `${name} ${index + 1}`;
      const told = [status ?? ok, detail ?? message].filter((part) => part !== undefined).join(" · ");
      return [[String(label), told === "" ? String(typeof one === "object" ? JSON.stringify(one) : one) : told] as const];
    });
  }
  if (typeof value === "object" && value !== null && depth < deepest) {
    return Object.entries(value).flatMap(([key, one]) => flat(one, name === "" ? key : `${name}.${key}`, depth + 1));
  }
  return [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]];
}
