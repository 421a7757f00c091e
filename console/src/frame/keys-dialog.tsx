/** All keys, in one place. */
import { Dialog } from "../parts/dialog.tsx";
import type { Key } from "../words/en.ts";
import { t } from "../words/words.ts";

const rows: readonly (readonly [string, Key])[] = [
  ["Ctrl K", "search"],
  ["g i", "inbox"],
  ["g s", "sessions"],
  ["g t", "tools"],
  ["g p", "policy"],
  ["n", "newSession"],
  ["c", "toComposer"],
  ["/", "findHere"],
  ["⌥↑ ⌥↓", "fromMessage"],
  ["⌥1 … ⌥5", "tabsInOrder"],
  ["a", "allowOnce"],
  ["d", "deny"],
  ["⇧A", "alwaysAllow"],
  ["r", "dryRun"],
  ["j k", "moveQuestion"],
  ["e", "expandAll"],
  ["u", "undoLast"],
  ["⇧U", "undoSeveral"],
  ["t", "terminal"],
  ["]", "togglePanel"],
  ["⇧]", "fullPanel"],
  [".", "stopAsks"],
  ["Ctrl ]", "giveBack"],
  ["Esc", "escapes"],
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t("keys")} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key */}
      <section class="inside" tabIndex={0} aria-label={t("keys")}>
        <dl class="key-list">
          {rows.map(([keys, word]) => [
            <dt key={keys}>
              {keys.split(" ").map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>,
            <dd key={word}>{t(word)}</dd>,
          ])}
        </dl>
      </section>
    </Dialog>
  );
}
