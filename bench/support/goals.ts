import { line } from './report.js';

/** A figure that a benchmark should show. */
export type Bound = { atLeast: number } | { atMost: number } | { below: number };

/** A goal beside its figure; `undefined` when it was not measured, with the reason. */
export type Judged = {
  goal: string;
  bound: Bound;
  measured: number | undefined;
  digits?: number;
  unit?: string;
  reason?: string;
};

/** Prints each goal, its figure, and whether the figure meets it. Nothing fails: a busy machine shows less. */
export function printGoals(goals: readonly Judged[]): void {
  const width = Math.max(...goals.map(({ goal }) => goal.length));
  line(`\n${'goal'.padEnd(width)}  ${'wanted'.padStart(12)}  ${'measured'.padStart(12)}`);
  for (const judged of goals) {
    const { goal, bound, measured, digits = 2, unit = '', reason = 'not measured' } = judged;
    const wanted = `${describeBound(bound)}${unit}`.padStart(12);
    const found = measured === undefined ? '' : `${measured.toFixed(digits)}${unit}`;
    const verdict = measured === undefined ? reason : meets(measured, bound) ? 'met' : 'NOT MET';
    line(`${goal.padEnd(width)}  ${wanted}  ${found.padStart(12)}  ${verdict}`);
  }
  const met = goals.filter(({ measured, bound }) => measured !== undefined && meets(measured, bound)).length;
  line(`${met} of ${goals.length} goals met`);
}

export function meets(measured: number, bound: Bound): boolean {
  if ('atLeast' in bound) return measured >= bound.atLeast;
  if ('atMost' in bound) return measured <= bound.atMost;
  return measured < bound.below;
}

function describeBound(bound: Bound): string {
  if ('atLeast' in bound) return `≥ ${bound.atLeast}`;
  if ('atMost' in bound) return `≤ ${bound.atMost}`;
  return `< ${bound.below}`;
}
