/**
 * Why the policy decided so, in the reader's language. The server's sentence is English; for another language the table of
 * reasons is loaded once it is needed, because no first paint needs it.
 */
import { signal } from "@preact/signals";
import type { Because } from "../../../src/contract/reasons.ts";
import type { Language } from "./words.ts";

interface Told {
  readonly rule: string;
  readonly reason: string;
  readonly because?: Because;
}

type Table = typeof import("../../../src/contract/reasons.ts");

const table = signal<Table | undefined>(undefined);
let isAsked = false;

function loadTable(): void {
  if (isAsked) return;
  isAsked = true;
  void import("../../../src/contract/reasons.ts").then((loaded) => {
    table.value = loaded;
  });
}

export function reasonWords({ rule, reason, because }: Told, language: Language): string {
  const said = reason === "" ? rule : reason;
  if (language === "en" || because === undefined) return said;
  loadTable();
  return table.value?.isBecause(because) === true ? table.value.reasonText(because, language) : said;
}
