import { useEffect } from 'preact/hooks';

/** Lists that one part of a screen changes and another draws. */
export type Announced = 'subscribers' | 'deliveries';

/** Says that a list has changed. */
export function announce(list: Announced): void {
  document.dispatchEvent(new Event(`heartline-${list}`));
}

/** Calls `onChange` when another part of the screen has changed the list. */
export function useAnnounced(list: Announced, onChange: () => void): void {
  useEffect(() => {
    document.addEventListener(`heartline-${list}`, onChange);
    return () => document.removeEventListener(`heartline-${list}`, onChange);
  });
}
