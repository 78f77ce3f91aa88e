import { useEffect, useState } from 'preact/hooks';
import type { AlertRulePreview, SetAlertRule } from '../../../../contract/manage/alert-rule.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, ReadError, requestOf } from '../../reads/fetch-json.js';
import { patiently } from '../../reads/retry.js';
import { usePage } from '../../session.js';

/** Reads the back-test of a rule; the previous one stays while the next is computed. */
export type BackTestState = {
  preview: AlertRulePreview | undefined;
  error: ReadError | undefined;
  isOlder: boolean;
  retry(): void;
};

/** A pause in typing: each number costs one computation over 14 days rather than one for each digit. */
const pauseMs = 400;

/** Asks the service what a rule would have done, each time the rule is another one. Asks nothing without a rule. */
export function useBackTest(rule: SetAlertRule | undefined): BackTestState {
  const { slug } = usePage();
  const [state, setState] = useState<{ rule?: string; preview?: AlertRulePreview; error?: ReadError }>({});
  const [attempt, setAttempt] = useState(0);
  const asked = rule === undefined ? undefined : JSON.stringify(rule);
  useEffect(() => {
    if (rule === undefined || asked === undefined) return;
    const ending = new AbortController();
    const ask = async (): Promise<void> => {
      const request = { ...requestOf('POST', rule), signal: ending.signal };
      const path = pagePath(slug, '/alert-rule/preview');
      const answer = await patiently(() => fetchJson<AlertRulePreview>(path, request));
      if (answer !== 'unchanged') setState({ rule: asked, preview: answer.body });
    };
    const onError = (error: unknown): void => {
      if (ending.signal.aborted) return;
      const known = error instanceof ReadError ? error : new ReadError(0, String(error));
      setState((before) => ({ ...before, rule: asked, error: known }));
    };
    const isFirst = state.rule === undefined;
    const timer = setTimeout(() => void ask().catch(onError), isFirst ? 0 : pauseMs);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [asked, attempt, slug]);
  return {
    preview: state.preview,
    error: state.rule === asked ? state.error : undefined,
    isOlder: state.rule !== asked,
    retry: () => setAttempt((count) => count + 1),
  };
}
