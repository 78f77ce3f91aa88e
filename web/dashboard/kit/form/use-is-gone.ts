import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Whether the component is drawn no longer, for what goes on after it. */
export function useIsGone(): RefObject<boolean> {
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  return isGone;
}
