import type { ManagedAlert } from '../../../../contract/manage/alerts.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { AcknowledgeNow } from './answer.js';
import { type SayAlert, severityTones, useSayAlert } from './say.js';
import { type AlertsTexts, alertsTexts } from './texts.js';

type RowProps = { alert: ManagedAlert; onChange(): void };

/** One alert of the inbox; the whole row leads to it. */
export function AlertRow({ alert, onChange }: RowProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const say = useSayAlert();
  const { path, to } = useAddress();
  const { may } = usePage();
  const { id, severity, state, startedAt, rule, note } = alert;
  const isOpen = state !== 'resolved';
  const title = say.title(alert);
  return (
    <li class={`alert-row ${isOpen ? severityTones[severity] : 'none'}`}>
      <Badge tone={isOpen ? severityTones[severity] : 'none'}>{texts.severities[severity]}</Badge>
      <div class="alert-what">
        <a href={to(path, { alert: id })} dir="auto">
          {title}
        </a>
        <p class="note">
          <span dir="auto">{rule.name}</span>
          {limitOf(alert, { texts, say }) !== undefined && <span>{limitOf(alert, { texts, say })}</span>}
          <span dir="auto">{standingOf(alert, { texts, format })}</span>
        </p>
        {note !== null && note !== '' && (
          <p class="alert-note" dir="auto">
            {note}
          </p>
        )}
      </div>
      <p class="alert-when">
        <time dateTime={startedAt} title={format.full(Date.parse(startedAt))}>
          {format.moment(Date.parse(startedAt))}
        </time>
        <span class="note">{lengthOf(alert, { texts, format })}</span>
      </p>
      <div class="alert-do">
        {state === 'firing' && may('alerts.acknowledge') && (
          <AcknowledgeNow alert={alert} title={title} onChange={onChange} />
        )}
      </div>
    </li>
  );
}

type Words = { texts: AlertsTexts; format: Format };

function limitOf(alert: ManagedAlert, { texts, say }: { texts: AlertsTexts; say: SayAlert }) {
  const { threshold } = alert;
  // A title about traffic has it.
  if (threshold === null || alert.rule.kind === 'traffic') return undefined;
  return texts.limit({ value: say.figure(alert, threshold) });
}

/** Who looks after an alert, why nobody is told of it, when somebody was, or why it is over. */
export function standingOf(alert: ManagedAlert, { texts, format }: Words): string {
  const { state, acknowledgedBy, silence, heldBy, toldAt, endedBy } = alert;
  if (state === 'resolved') return texts.endings[endedBy ?? 'rule'];
  if (state === 'silenced')
    return silence === null
      ? texts.states.silenced
      : texts.silencedUntil({ moment: format.moment(Date.parse(silence.endsAt)) });
  if (state === 'acknowledged') return texts.acknowledgedBy({ name: acknowledgedBy ?? '' });
  if (state === 'held') return texts.heldBy({ name: heldBy ?? '' });
  return toldAt === null ? texts.notTold : texts.told({ time: format.minute(Date.parse(toldAt)) });
}

/** How long an alert lasts, or lasted. */
function lengthOf({ startedAt, resolvedAt }: ManagedAlert, { texts, format }: Words): string {
  const start = Date.parse(startedAt);
  const end = resolvedAt === null ? Date.now() : Date.parse(resolvedAt);
  const span = format.roughSpan(Math.max(0, Math.round((end - start) / 1_000)));
  return resolvedAt === null ? texts.since({ span }) : texts.lasted({ span });
}
