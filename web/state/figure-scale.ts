import type { FigureKind, PublicFigure } from '../../contract/public/public-figures.js';
import { niceTop, type Values } from './chart-shape.js';

/** The values of a figure for each step, and the ends of the axis on which they are drawn. */
export type FigureSeries = {
  kind: FigureKind;
  values: Values;
  /** The values of steps with enough requests; there is at least one. */
  known: readonly number[];
  bottom: number;
  top: number;
};

const successSpans = [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100];

/** Returns the series that a figure shows, in their usual order, without those that have no value. */
export function seriesOf({ p95Ms, requests, successRate }: PublicFigure): FigureSeries[] {
  const given = [
    ['p95', p95Ms],
    ['requests', requests],
    ['successRate', successRate],
  ] as const;
  return given.flatMap(([kind, values = []]) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? [] : [{ kind, values, known, ...axisOf(kind, known) }];
  });
}

/** Rates are all close to 100, from which their axis goes down as far as it must; the others begin at 0. */
function axisOf(kind: FigureKind, known: readonly number[]): { bottom: number; top: number } {
  if (kind !== 'successRate') return { bottom: 0, top: niceTop(Math.max(...known)) };
  const lost = 100 - Math.min(...known);
  return { bottom: 100 - (successSpans.find((span) => span >= lost) ?? 100), top: 100 };
}
