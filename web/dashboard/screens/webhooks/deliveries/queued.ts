import { useEffect } from 'preact/hooks';

const queued = 'heartline-delivery';

/** Says that a delivery was queued. */
export function announceDelivery(): void {
  document.dispatchEvent(new Event(queued));
}

/** Calls `onQueued` when another part of the screen has queued a delivery. */
export function useQueued(onQueued: () => void): void {
  useEffect(() => {
    document.addEventListener(queued, onQueued);
    return () => document.removeEventListener(queued, onQueued);
  });
}
