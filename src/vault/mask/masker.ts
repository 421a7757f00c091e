/**
 * The one place where secrets are masked in what leaves: values of variables as `$KARYI{NAME}` in every form they are
 * printed in, and well-known token shapes as `[masked:…]`. Masking never looks up a placeholder: text that contains one
 * stays as it is, whoever wrote it.
 */
import type { Masker, MaskStream } from "../../contract/index.ts";
import { findShapes } from "../shapes/find-shapes.ts";
import { Findings, type Window } from "./findings.ts";
import { KnownValues, type Secret } from "./known-values.ts";
import { maskStructure } from "./mask-json.ts";
import { PendingMask } from "./mask-stream.ts";

export interface MaskerOptions {
  /** False: only values of variables, for text that must run again as it is. */
  readonly shapes?: boolean;
}

/** A masker, and the same one without token shapes for input that must be run again later. */
export interface VaultMasker extends Masker {
  readonly valuesOnly: Masker;
}

/** Finds what has to be masked in a window of text. */
export type Detect = (window: Window) => Findings;

/** `secrets` answers the same array until something changed; then the search tables are built anew, at the next use. */
export function createMasker(secrets: () => readonly Secret[], options: MaskerOptions = {}): VaultMasker {
  let built: { readonly from: readonly Secret[]; readonly known: KnownValues } | undefined;
  const known = () => {
    const from = secrets();
    if (built?.from !== from) built = { from, known: new KnownValues(from) };
    return built.known;
  };
  const valuesOnly = maskerOf((window) => {
    const findings = new Findings();
    known().find(window, findings);
    return findings;
  }, false);
  if (options.shapes === false) return { ...valuesOnly, valuesOnly };
  const all = maskerOf((window) => {
    const findings = new Findings();
    known().find(window, findings);
    findShapes(window, findings);
    return findings;
  }, true);
  return { ...all, valuesOnly };
}

/** Nothing shorter is a secret that is masked. */
const shortestText = 4;

function maskerOf(detect: Detect, shapes: boolean): Masker {
  const mask = (text: string): string => {
    if (text.length < shortestText) return text;
    return new PendingMask(detect).whole(text);
  };
  return {
    mask,
    maskJson: (value) => maskStructure(value, mask, shapes),
    stream: (): MaskStream => {
      const pending = new PendingMask(detect);
      return { push: (chunk) => pending.push(chunk, false), end: () => pending.push("", true) };
    },
  };
}
