import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The rows to draw: from `first` until `end`, of which neither is below 0. */
export type RowWindow = { first: number; end: number };

/** Rows drawn above and below what is seen, so that a quick scroll shows no gap. */
const spareRows = 12;
/** Fewer rows are drawn whole. */
const wholeRowsMax = 100;

/**
 * The rows of a table of equal heights that are within sight, as the document scrolls. A table with 2,000 rows has some
 * 40,000 elements, which would take a browser most of a second to draw.
 */
export function useRowWindow(
  body: RefObject<HTMLElement | null>,
  { count, heightPx }: { count: number; heightPx: number },
): RowWindow {
  const isWhole = count <= wholeRowsMax;
  const [window_, setWindow] = useState<RowWindow>({ first: 0, end: wholeRowsMax });
  useEffect(() => {
    if (isWhole) return;
    const measure = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const first = Math.floor(-top / heightPx) - spareRows;
      // The first rows stay, even below what is seen, so that the keyboard gets to them from the head of the table.
      const end = Math.max(spareRows, Math.ceil((window.innerHeight - top) / heightPx) + spareRows);
      const next = { first: clamp(first, count), end: clamp(end, count) };
      setWindow((now) => (now.first === next.first && now.end === next.end ? now : next));
    };
    measure();
    window.addEventListener('scroll', measure, { passive: true });
    window.addEventListener('resize', measure);
    return () => {
      window.removeEventListener('scroll', measure);
      window.removeEventListener('resize', measure);
    };
  }, [isWhole, count, heightPx, body]);
  if (isWhole) return { first: 0, end: count };
  return { first: clamp(window_.first, count), end: clamp(window_.end, count) };
}

function clamp(row: number, count: number): number {
  return Math.min(count, Math.max(0, row));
}
