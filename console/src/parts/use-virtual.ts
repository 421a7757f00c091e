/** Rows of which only those in sight exist: `@tanstack/virtual-core` for Preact. */
import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useMemo, useReducer } from "preact/hooks";

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  readonly virtualizer: Virtualizer<HTMLElement, HTMLElement>;
}

interface VirtualOptions {
  readonly count: number;
  readonly scroller: { readonly current: HTMLElement | null };
  readonly keyOf: (index: number) => string;
  readonly estimate: (index: number) => number;
  readonly paddingStart: number;
  readonly paddingEnd: number;
}

export function useVirtual({ count, scroller, keyOf, estimate, paddingStart, paddingEnd }: VirtualOptions): VirtualRows {
  const [, again] = useReducer((turn: number) => turn + 1, 0);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: 8,
    paddingStart,
    paddingEnd,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    measureElement,
    onChange: () => again(undefined as never),
  };
  const virtualizer = useMemo(() => new Virtualizer<HTMLElement, HTMLElement>(options), []);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return { items: virtualizer.getVirtualItems(), height: virtualizer.getTotalSize(), virtualizer };
}
