import { useRef, useState } from 'preact/hooks';
import type { FormState } from '../../../kit/form/use-form.js';
import { useIsGone } from '../../../kit/form/use-is-gone.js';
import type { FieldErrors } from '../../../reads/fetch-json.js';
import { isPassed, type Trial, type TrialResult } from './use-trial.js';
import type { MonitorValues } from './values.js';

type UseTriedSave = {
  form: FormState<MonitorValues>;
  /** The trial before saving; `undefined` where none is possible or needed. */
  trial: Trial | undefined;
  /** Known problems; a trial of them would be in vain. */
  wrong: FieldErrors;
};

/** Saving that tries the settings first, and asks when they fail. */
export type TriedSave = {
  /** Tries the settings unless they have passed, and saves them. */
  submit(): void;
  /** The failure after which the person decides; nothing is saved until then. */
  asked: TrialResult | undefined;
  saveAnyway(): void;
  closeQuestion(): void;
};

/** Nobody can mend that more trials run than the service allows at once. */
const busyStatuses = new Set([429, 503]);

export function useTriedSave({ form, trial, wrong }: UseTriedSave): TriedSave {
  const isWrong = Object.keys(wrong).length > 0;
  const [asked, setAsked] = useState<TrialResult>();
  const isGone = useIsGone();
  const latest = useRef(form);
  latest.current = form;
  const tryFirst = async (first: Trial): Promise<void> => {
    const tried = form.values;
    const result = await first.run();
    if (isGone.current) return;
    // Somebody goes on typing: the outcome is of settings that are no longer these.
    if (JSON.stringify(latest.current.values) !== JSON.stringify(tried)) return;
    const isRefused = 'error' in result && !busyStatuses.has(result.error.status);
    // The service refuses the monitor for the same reason, and the form shows it beside the field.
    if (isPassed(result) || isRefused) latest.current.submit();
    else setAsked(result);
  };
  return {
    asked,
    submit() {
      if (form.isSending || trial?.isRunning === true) return;
      if (trial === undefined || trial.hasPassed || isWrong) form.submit();
      else void tryFirst(trial);
    },
    saveAnyway() {
      setAsked(undefined);
      form.submit();
    },
    closeQuestion: () => setAsked(undefined),
  };
}
