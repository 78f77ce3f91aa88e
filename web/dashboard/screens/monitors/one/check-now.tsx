import { useState } from 'preact/hooks';
import type { CheckOutcome } from '../../../../../contract/manage/monitors.js';
import { useFormat } from '../../../format.js';
import { Badge, type Tone } from '../../../kit/badge.js';
import { SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { pagePath } from '../../../reads/paths.js';
import { type Send, useSend } from '../../../reads/use-send.js';
import { usePage } from '../../../shell/session.js';
import { useTexts } from '../../../texts.js';
import { type MonitorsTexts, monitorsTexts } from '../texts.js';
import { phaseKeys, phasesOf } from './phases.js';

/** A check beside the schedule, and its outcome. */
export type CheckNow = Send<[]> & { outcome: CheckOutcome | undefined; close(): void };

/** The longest time limit of a monitor, and a little more. */
const checkMsMax = 65_000;

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

/** What the check has found. The region is there before, so that screen readers announce it. */
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

function Outcome({ outcome }: { outcome: CheckOutcome }) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const { status, totalMs, detail } = outcome;
  const { tone, title } = resultOf(outcome, texts);
  return (
    <div class="check-outcome">
      <p>
        <Badge tone={tone}>{title}</Badge>{' '}
        {[status !== null && texts.withStatus(status), totalMs !== null && texts.took(format.ms(totalMs))]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {detail !== null && <p lang="en">{detail}</p>}
      <PhaseBar outcome={outcome} />
    </div>
  );
}

function resultOf(
  { ok, error, unobserved }: CheckOutcome,
  texts: MonitorsTexts,
): { tone: Tone; title: string } {
  if (ok === null) {
    return {
      tone: 'warn',
      title: unobserved === null ? texts.nothingObserved : texts.unobserved[unobserved],
    };
  }
  if (ok) return { tone: 'good', title: texts.passed };
  return { tone: 'bad', title: error === null ? texts.failedOne : (texts.errors[error] ?? texts.failedOne) };
}

/** The parts of one check beside each other, each as long as it took. */
function PhaseBar({ outcome }: { outcome: CheckOutcome }) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const parts = phasesOf(outcome);
  const { totalMs } = outcome;
  if (parts === undefined || totalMs === null || totalMs <= 0) return null;
  const shown = phaseKeys.filter((key) => parts[key] > 0);
  return (
    <dl class="phase-bar">
      {shown.map((key) => (
        <div key={key} class={`phase ${key}`} style={{ flexGrow: String(parts[key] / totalMs) }}>
          <dt>{texts.phaseNames[key]}</dt>
          <dd>{format.ms(parts[key])}</dd>
        </div>
      ))}
    </dl>
  );
}
