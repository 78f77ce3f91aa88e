import type { CheckOutcome } from '../../../../../contract/manage/monitor-checks.js';
import { dashboardPaths } from '../../../../account/manage-paths.js';
import { useFormat } from '../../../format.js';
import { Badge, type Tone } from '../../../kit/badge.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { type MonitorsTexts, monitorsTexts } from '../texts.js';
import { phaseKeys, phasesOf } from './phases.js';

/** The outcome of a check: the result in words, the sentence of the service, and the parts of its time. */
export function Outcome({ outcome }: { outcome: CheckOutcome }) {
  const texts = useTexts(monitorsTexts);
  const format = useFormat();
  const { status, totalMs } = outcome;
  const { tone, title } = resultOf(outcome, texts);
  return (
    <div class="check-outcome">
      <p>
        <Badge tone={tone}>{title}</Badge>{' '}
        {[
          status !== null && texts.withStatus({ status }),
          totalMs !== null && texts.took({ ms: format.ms(totalMs) }),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <Why outcome={outcome} />
      <PhaseBar outcome={outcome} />
    </div>
  );
}

/** The sentence of the service; for an address that is refused, what to do about it. */
function Why({ outcome: { unobserved, detail } }: { outcome: CheckOutcome }) {
  const texts = useTexts(monitorsTexts).refused;
  const { me } = useSession();
  if (unobserved === 'metadata') return <p>{texts.metadata}</p>;
  if (unobserved !== 'blocked') return detail === null ? null : <p lang="en">{detail}</p>;
  return (
    <p>
      {texts.why}{' '}
      {me.admin ? <a href={`${dashboardPaths.installation}#private-addresses`}>{texts.allow}</a> : texts.ask}
    </p>
  );
}

/** The result of a check in words. */
export function resultOf(
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
