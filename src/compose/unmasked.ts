/** The masker and values of an engine without a vault: nothing to hide, nothing to fill in. */
import type { EngineDependencies } from "../engine/index.ts";

export const plainMasker: EngineDependencies["masker"] = {
  mask: (text) => text,
  maskJson: (value) => value,
  stream: () => ({ push: (chunk) => chunk, end: () => "" }),
};

export const plainValues: EngineDependencies["values"] = {
  placeholders: () => [],
  substitute: async (input) => input,
};
