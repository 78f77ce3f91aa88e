import {
  type ManagedPolicy,
  type PolicyTarget,
  type PutPolicy,
  policyLimits,
} from '../../../../contract/manage/policies.js';
import type { AlertSeverity } from '../../../../contract/manage/shared.js';
import { type FieldErrors, fieldErrorOf, type ReadError } from '../../reads/fetch-json.js';
import type { PoliciesTexts } from './texts.js';

/** A step as the form has it. */
export type StepValues = {
  notify: PolicyTarget[];
  /** `null` while the field is empty. */
  waitMinutes: number | null;
};

export type PolicyValues = {
  name: string;
  steps: StepValues[];
  repeat: number | null;
  defaultFor: AlertSeverity[];
};

/** Long enough to find the laptop, short enough that nobody waits for somebody who sleeps. */
export const usualStep: StepValues = { notify: [], waitMinutes: 10 };

export function valuesOf({ name, steps, repeat, defaultFor }: ManagedPolicy): PolicyValues {
  return {
    ...{ name, repeat, defaultFor: [...defaultFor] },
    steps: steps.map(({ notify, waitMinutes }) => ({ notify: [...notify], waitMinutes })),
  };
}

/** The fields as the API takes them. */
export function bodyOf({ name, steps, repeat, defaultFor }: PolicyValues): PutPolicy {
  return {
    ...{ name: name.trim(), repeat: repeat ?? 0, defaultFor },
    steps: steps.map(({ notify, waitMinutes }) => ({ notify, waitMinutes: waitMinutes ?? 1 })),
  };
}

/** The problems of the fields by their paths, such as `steps/0/notify`. */
export function findProblems(
  { name, steps, repeat }: PolicyValues,
  texts: PoliciesTexts,
): Record<string, string> {
  const isWhole = (value: number | null, min: number, max: number): boolean =>
    value !== null && Number.isInteger(value) && value >= min && value <= max;
  const { waitMinutes: waitMax, repeats } = policyLimits;
  return {
    ...(name.trim() === '' && { name: texts.needed }),
    ...(!isWhole(repeat, 0, repeats) && { repeat: texts.wrongNumber({ min: 0, max: repeats }) }),
    ...Object.fromEntries(
      steps.flatMap(({ notify, waitMinutes }, at) => [
        ...(notify.length === 0 ? [[`steps/${at}/notify`, texts.noTarget]] : []),
        ...(isWhole(waitMinutes, 1, waitMax)
          ? []
          : [[`steps/${at}/waitMinutes`, texts.wrongNumber({ min: 1, max: waitMax })]]),
      ]),
    ),
  };
}

/** Says of which step a refusal is, and that another policy has a severity. */
export function explainPolicy(error: ReadError, texts: PoliciesTexts): FieldErrors | undefined {
  const { path: [of, at = ''] = [], problem = '' } = fieldErrorOf(error) ?? {};
  if (of === 'steps') return { steps: texts.ofStep({ number: Number(at) + 1, problem }) };
  return error.status === 412 ? { name: texts.nameTaken } : undefined;
}
