import { useMemo } from 'preact/hooks';
import { useTexts } from '../../texts.js';
import { type DrawnNotes, unkeptSpans } from './kept.js';
import type { ChartSpan, TimeAxis } from './model.js';
import { chartTexts } from './texts.js';

const none: readonly ChartSpan[] = [];

/** The spans that a chart shades: those that it is given, and the time of which nothing is kept. */
export function useShaded(
  given: readonly ChartSpan[] = none,
  notes: DrawnNotes,
  axis: TimeAxis,
): readonly ChartSpan[] {
  const texts = useTexts(chartTexts);
  return useMemo(() => [...unkeptSpans(notes, axis, texts), ...given], [given, notes, axis, texts]);
}
