import { useEffect } from 'preact/hooks';

const changed = 'heartline-subscribers';

/** Says that the list of addresses is another one. */
export function announceChange(): void {
  document.dispatchEvent(new Event(changed));
}

/** Calls `onChange` when another part of the screen has changed the list. */
export function useChange(onChange: () => void): void {
  useEffect(() => {
    document.addEventListener(changed, onChange);
    return () => document.removeEventListener(changed, onChange);
  });
}
