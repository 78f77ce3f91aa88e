import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Drawn } from './draw.js';

/** The width of an element in whole pixels; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(Math.floor(current.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/**
 * Draws into an element again whenever `draw` is another function. A picture takes a few milliseconds, and the former one
 * leaves in the same frame, so nothing flashes.
 */
export function useDrawn(
  target: RefObject<HTMLElement | null>,
  draw: ((target: HTMLElement) => Drawn) | undefined,
): Drawn | undefined {
  const [drawn, setDrawn] = useState<Drawn>();
  const last = useRef<Drawn | undefined>(undefined);
  useLayoutEffect(() => {
    if (target.current === null || draw === undefined) return;
    last.current?.destroy();
    last.current = draw(target.current);
    setDrawn(last.current);
  }, [target, draw]);
  useEffect(() => () => last.current?.destroy(), []);
  return drawn;
}
