import type { OnCall } from '../../../../contract/manage/schedules.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { Person } from './person.js';
import { onCallTexts } from './texts.js';
import { useZoneTimes } from './use-zone-times.js';

type StandingProps = {
  standing: OnCall;
  /** IANA name of the zone of the schedule. */
  zone: string;
  colourOf(email: string): string;
};

/** Who is on call now, until when, and who is next. */
export function Standing({ standing: { now, next, at }, zone, colourOf }: StandingProps) {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(zone);
  const { me } = useSession();
  const { roughSpan } = useFormat();
  const left = (until: string): string =>
    roughSpan(Math.max(60, Math.round((Date.parse(until) - Date.parse(at)) / 1_000)));
  const isMe = now?.person.email === me.caller.email;
  return (
    <div class="on-call-standing">
      <div class="on-call-now">
        {now === null ? (
          <p class="on-call-nobody">
            <Badge tone="bad">{texts.nobody}</Badge>
          </p>
        ) : (
          <p>
            <Person person={now.person} colour={colourOf(now.person.email)} isLarge />
            {isMe && <Badge tone="info">{texts.you}</Badge>}
            {now.override !== null && <Badge tone="none">{texts.byOverride}</Badge>}
          </p>
        )}
        {now !== null && (
          <p class="note">
            {now.until === null
              ? texts.always
              : texts.until({ time: times.moment(Date.parse(now.until)), left: left(now.until) })}
          </p>
        )}
      </div>
      <p class="on-call-next">
        <span class="note">{texts.next}</span>
        {next === null ? (
          <span class="note">{now === null ? texts.nobodyNext : texts.sameNext}</span>
        ) : (
          <>
            <Person person={next.person} colour={colourOf(next.person.email)} />
            <span class="note">{texts.from({ time: times.moment(Date.parse(next.from)) })}</span>
          </>
        )}
      </p>
    </div>
  );
}
