import { useState } from 'preact/hooks';
import type { CheckOutcome } from '../../../../../contract/manage/monitor-checks.js';
import { SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { type Send, useSend } from '../../../reads/use-send.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { monitorsTexts } from '../texts.js';
import { Outcome } from './outcome.js';

/** A check beside the schedule, and its outcome. */
export type CheckNow = Send<[]> & { outcome: CheckOutcome | undefined; close(): void };

/** The longest time limit of a monitor, and a little more. */
export const checkMsMax = 65_000;

/** Checks a monitor now, whatever its schedule, and keeps the outcome until it is closed. */
export function useCheckNow(monitor: string): CheckNow {
  const { slug } = usePage();
  const [outcome, setOutcome] = useState<CheckOutcome>();
  const send = useSend(async () => {
    setOutcome(undefined);
    const path = pagePath(slug, `/monitors/${encodeURIComponent(monitor)}/check`);
    setOutcome(await sendJson<CheckOutcome>('POST', path, undefined, { timeoutMs: checkMsMax }));
  });
  return {
    ...send,
    outcome,
    close() {
      setOutcome(undefined);
      send.clear();
    },
  };
}

/** Begins a check, and says while it lasts. */
export function CheckNowButton({ check }: { check: CheckNow }) {
  const texts = useTexts(monitorsTexts);
  return (
    <button type="button" class="button small" aria-disabled={check.isSending} onClick={() => check.run()}>
      <Icon name="refresh" />
      {check.isSending ? texts.checking : texts.checkNow}
    </button>
  );
}

/** The outcome of the check. The region is there before, so that screen readers announce it. */
export function CheckOutcomePanel({ check }: { check: CheckNow }) {
  const texts = useTexts(monitorsTexts);
  const { close } = useTexts(kitTexts);
  const { outcome, error, isSending } = check;
  return (
    <div class="check-region" role="status" aria-busy={isSending}>
      {isSending && <span class="visually-hidden">{texts.checking}</span>}
      {error !== undefined && <SendError error={error} />}
      {outcome !== undefined && (
        <Panel
          title={texts.checkedNow}
          note={texts.checkedNowWhy}
          actions={
            <button type="button" class="icon-button" aria-label={close} onClick={check.close}>
              <Icon name="close" />
            </button>
          }
        >
          <Outcome outcome={outcome} />
        </Panel>
      )}
    </div>
  );
}
