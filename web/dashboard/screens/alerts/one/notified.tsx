import type { AlertNotice, ManagedAlertWithNotices } from '../../../../../contract/manage/alerts.js';
import { useFormat } from '../../../format.js';
import { Badge, type Tone } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { textFor, useTexts } from '../../../texts.js';
import { type AlertsTexts, alertsTexts } from '../texts.js';

const tones: Readonly<Record<NonNullable<AlertNotice['state']>, Tone>> = {
  pending: 'info',
  delivered: 'good',
  parked: 'bad',
};

/** Who was told of an alert, when, by which step, and with what outcome. */
export function Notified({ alert }: { alert: ManagedAlertWithNotices }) {
  const texts = useTexts(alertsTexts);
  const { notified } = alert;
  return (
    <Panel title={texts.notified} note={texts.notifiedWhy}>
      {notified.length === 0 ? (
        <p class="note">{whyNobody(alert, texts)}</p>
      ) : (
        <ol class="alert-told">
          {notified.map((notice, i) => (
            // Two notices may be alike, and none is ever taken away.
            <Told key={i} notice={notice} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** Why an alert has no notices. */
export function whyNobody(
  { state, heldBy, toldAt }: Pick<ManagedAlertWithNotices, 'state' | 'heldBy' | 'toldAt'>,
  texts: AlertsTexts,
): string {
  if (state === 'silenced') return texts.notToldSilenced;
  if (state === 'held') return texts.notToldHeld({ name: heldBy ?? '' });
  return toldAt === null && state === 'firing' ? texts.notToldYet : texts.nobodyTold;
}

function Told({ notice }: { notice: AlertNotice }) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { at, state, reason, ways } = notice;
  return (
    <li>
      <time dateTime={at} title={format.full(Date.parse(at))}>
        {format.clock(Date.parse(at))}
      </time>
      <div>
        <p class="alert-told-line">
          <strong dir="auto">{nameOf(notice, texts)}</strong>
          <Badge tone={state === null ? 'warn' : tones[state]}>
            {state === null ? texts.notReached : texts.outcomes[state]}
          </Badge>
        </p>
        <p class="note">{stepOf(notice, texts)}</p>
        {reason !== null && (
          <p class="note" dir="auto">
            {reason}
          </p>
        )}
        {ways.length > 0 && (
          <ul class="alert-ways">
            {ways.map((way, i) => (
              <li key={i} title={way.reason ?? ''}>
                {textFor(texts.ways, way.kind) ?? way.kind}: {texts.outcomes[way.state]}
                {way.reason !== null && <span class="note"> {way.reason}</span>}
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function nameOf({ type, name }: AlertNotice, texts: AlertsTexts): string {
  if (type === 'nobody' || name === '') return texts.nobodyReached;
  return type === 'schedule' ? texts.onCall({ name }) : name;
}

/** Steps are counted from 1, as people do. */
function stepOf({ step, round }: AlertNotice, texts: AlertsTexts): string {
  return round === 0 ? texts.step({ step: step + 1 }) : texts.stepAgain({ step: step + 1, round: round + 1 });
}
