import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

/** The time that somebody points at, in milliseconds, and the chart in which they do. */
export type Pointed = { at: number; owner: string } | undefined;

/** One cursor for all charts of a screen. */
export type Crosshair = {
  get(): Pointed;
  set(next: Pointed): void;
  /** Returns what ends it. */
  subscribe(listener: () => void): () => void;
};

function createCrosshair(): Crosshair {
  const listeners = new Set<() => void>();
  let pointed: Pointed;
  return {
    get: () => pointed,
    set(next) {
      if (next?.at === pointed?.at && next?.owner === pointed?.owner) return;
      pointed = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** One screen shows at a time, so the same one serves them all. */
export const CrosshairContext = createContext(createCrosshair());

/** Follows the time that is pointed at in any chart of the screen. */
export function usePointed(): Pointed {
  const crosshair = useContext(CrosshairContext);
  const [pointed, setPointed] = useState(crosshair.get());
  useEffect(() => crosshair.subscribe(() => setPointed(crosshair.get())), [crosshair]);
  return pointed;
}
