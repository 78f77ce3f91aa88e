import type { Shift } from '../../../../../contract/manage/schedules.js';
import { Badge } from '../../../kit/badge.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { Person } from '../person.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import type { Stretch } from './span.js';

type AgendaProps = {
  shifts: readonly Shift[];
  zone: string;
  colourOf(email: string): string;
  onChoose(stretch: Stretch): void;
};

/** Rows that are drawn; a schedule of hours has more in four weeks than anybody reads. */
const rowsMax = 60;

/** The shifts of the calendar in words, those to come first of all: for keyboards, screen readers and phones. */
export function Agenda({ shifts, zone, colourOf, onChoose }: AgendaProps) {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(zone);
  const now = Date.now();
  const ahead = shifts.filter(({ to }) => Date.parse(to) > now);
  return (
    <>
      <ol class="on-call-agenda">
        {ahead.slice(0, rowsMax).map((shift) => {
          const stretch = { from: Date.parse(shift.from), to: Date.parse(shift.to) };
          const when = times.span(stretch.from, stretch.to);
          return (
            <li key={shift.from} class={shift.person === null ? 'gap' : ''}>
              <span class="on-call-when">{when}</span>
              <span class="on-call-who">
                {shift.person === null ? (
                  <Badge tone="warn">{texts.nobody}</Badge>
                ) : (
                  <Person person={shift.person} colour={colourOf(shift.person.email)} />
                )}
                {stretch.from <= now && <Badge tone="good">{texts.now}</Badge>}
                <span class="note" dir="auto">
                  {shift.override === null ? shift.layer : texts.byOverride}
                </span>
              </span>
              <PermittedButton
                permission="alerts.acknowledge"
                class="button small"
                label={texts.coverOf({ when })}
                onClick={() => onChoose({ ...stretch, from: Math.max(stretch.from, now - (now % 60_000)) })}
              >
                {texts.cover}
              </PermittedButton>
            </li>
          );
        })}
      </ol>
      {ahead.length > rowsMax && <p class="note">{texts.moreShifts({ count: ahead.length - rowsMax })}</p>}
      {ahead.length === 0 && <p class="note">{texts.allOver}</p>}
    </>
  );
}
