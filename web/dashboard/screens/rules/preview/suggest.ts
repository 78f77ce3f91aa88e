import type { RulePreview, RuleUnit } from '../../../../../contract/manage/rule-preview.js';
import type { RuleValues } from '../form/values.js';

/** A threshold for one of the fields of the form. */
export type Threshold = {
  field: 'percent' | 'overMs' | 'belowRequests' | 'above' | 'value';
  value: number;
  unit: RuleUnit;
};

/** Beyond the worst hundredth of all steps, with a quarter of room: about three hours of two weeks stay above the quantile. */
const quantile = 0.99;
const room = 1.25;
/** One step, which is the better part of an hour, says nothing of the next. */
const valuesMin = 2;
/** A share below this is noise on most pages. */
const percentMin = 1;

/** The field of the threshold that depends on what is measured; `undefined` for rules without one. */
function fieldOf({ kind, below, operator }: RuleValues): Threshold['field'] | undefined {
  if (kind === 'failure-rate') return 'percent';
  if (kind === 'latency') return 'overMs';
  if (kind === 'traffic') return below === 'requests' ? 'belowRequests' : undefined;
  if (kind === 'pool') return 'above';
  return kind === 'query' && (operator === '>' || operator === '>=') ? 'value' : undefined;
}

/** Whether the threshold of a rule can come from what was measured. */
export function isSuggested(values: RuleValues): boolean {
  return fieldOf(values) !== undefined;
}

/** Returns a threshold beyond nearly all that was measured; `undefined` with too few figures. */
export function suggestThreshold(values: RuleValues, preview: RulePreview): Threshold | undefined {
  const field = fieldOf(values);
  const { unit, direction, groups } = preview;
  const known = groups.flatMap((group) => group.values).filter((value) => value !== null);
  if (field === undefined || known.length < valuesMin) return undefined;
  known.sort((a, b) => a - b);
  const at = direction === 'above' ? quantile : 1 - quantile;
  const worst = known[Math.min(known.length - 1, Math.floor(known.length * at))] ?? 0;
  const value = direction === 'above' ? roundUp(worst * room) : roundDown(worst / 2);
  if (unit === 'percent') return { field, unit, value: Math.min(100, Math.max(percentMin, value)) };
  return { field, unit, value };
}

/** Rounds to the next number that people would choose: 1, 1.5, 2, 3, 4, 5, 6, 8 or 10 of a power of ten. */
const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10] as const;

function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return plain((steps.find((step) => step * power >= value) ?? 10) * power);
}

function roundDown(value: number): number {
  if (value < 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return plain((steps.findLast((step) => step * power <= value) ?? 1) * power);
}

/** 3 · 0.1 is 0.30000000000000004. */
function plain(value: number): number {
  return Number(value.toPrecision(3));
}
