import { useState } from 'preact/hooks';
import type { CheckOutcome } from '../../../../../contract/manage/monitor-checks.js';
import type { MonitorKind } from '../../../../../contract/monitors.js';
import { pagePath } from '../../../reads/api-path.js';
import { ReadError, sendJson } from '../../../reads/fetch-json.js';
import { usePage } from '../../../session.js';
import { checkMsMax } from '../one/check-now.js';
import { type MonitorValues, settingsOf } from './values.js';

/** The outcome of a trial, or why it could not be made. */
export type TrialResult = { outcome: CheckOutcome } | { error: ReadError };

export type Trial = {
  /** Makes one check with the settings as they are now. */
  run(): Promise<TrialResult>;
  isRunning: boolean;
  result: TrialResult | undefined;
  /** Whether the settings have changed since the result. */
  isOlder: boolean;
  /** Whether the settings as they are now have passed. */
  hasPassed: boolean;
};

type State = { of: string; result: TrialResult | undefined };

/** Tries settings before they are saved. `monitor` is the slug of the one whose headers and body are kept. */
export function useTrial(kind: MonitorKind, values: MonitorValues, monitor?: string): Trial {
  const { slug } = usePage();
  const [state, setState] = useState<State>();
  const settings = settingsOf(kind, values);
  const now = JSON.stringify(settings);
  const isKept = values.headers === null || values.body === null;
  const body = { type: kind, ...settings, ...(isKept && monitor !== undefined && { slug: monitor }) };
  const result = state?.result;
  const isOlder = state !== undefined && state.of !== now;
  return {
    async run() {
      setState({ of: now, result: undefined });
      const path = pagePath(slug, '/monitors/trial');
      const found = await sendJson<CheckOutcome>('POST', path, body, { timeoutMs: checkMsMax }).then(
        (outcome) => ({ outcome }),
        (error: unknown) => ({ error: error instanceof ReadError ? error : new ReadError(0, String(error)) }),
      );
      // A later trial has taken its place.
      setState((current) => (current?.of === now ? { of: now, result: found } : current));
      return found;
    },
    ...{ result, isOlder },
    isRunning: state !== undefined && result === undefined,
    hasPassed: !isOlder && result !== undefined && isPassed(result),
  };
}

export function isPassed(result: TrialResult): boolean {
  return 'outcome' in result && result.outcome.ok === true;
}
