import type { ScheduleShifts } from '../../../../../contract/manage/schedules.js';
import { Badge } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { usePreview } from '../../../reads/use-preview.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { addDays, dayOf, makeSpan, mondayOf } from '../calendar/span.js';
import { Week } from '../calendar/week.js';
import { colourPeople } from '../person.js';
import { onCallTexts } from '../texts.js';
import { findProblems, layersOf, type ScheduleValues } from './values.js';

const weeksShown = 2;

/** The coming weeks as they would be, and the gaps that they would have. */
export function DraftPreview({ values }: { values: ScheduleValues }) {
  const texts = useTexts(onCallTexts);
  const isWhole = Object.keys(findProblems({ ...values, name: '-' }, texts)).length === 0;
  return (
    <Panel title={texts.preview} note={texts.previewWhy}>
      {isWhole && values.layers.length > 0 ? (
        <PreviewWeeks values={values} />
      ) : (
        <p class="note">{texts.previewWaits}</p>
      )}
    </Panel>
  );
}

function PreviewWeeks({ values }: { values: ScheduleValues }) {
  const { slug } = usePage();
  const texts = useTexts(onCallTexts);
  const { timeZone, layers } = values;
  const monday = mondayOf(dayOf(Date.now(), timeZone));
  const whole = makeSpan(monday, 7 * weeksShown, timeZone);
  const range = { from: new Date(whole.from).toISOString(), to: new Date(whole.to).toISOString() };
  const draft = { timeZone, layers: layersOf(values) };
  const { data, error, isOlder, retry } = usePreview<ScheduleShifts>(
    pagePath(slug, '/schedules/preview', range),
    draft,
  );
  if (error !== undefined) return <ErrorNotice error={error} retry={retry} />;
  if (data === undefined) return <Skeleton height={180} />;
  const weeks = Array.from({ length: weeksShown }, (_, at) => makeSpan(addDays(monday, 7 * at), 7, timeZone));
  const colourOf = colourPeople(layers.flatMap(({ people }) => people));
  return (
    <div class="on-call-weeks" aria-busy={isOlder}>
      <p role="status">
        {data.gaps > 0 ? (
          <>
            <Badge tone="warn">{texts.previewGaps({ count: data.gaps })}</Badge> {texts.gapsWhy}
          </>
        ) : (
          <Badge tone="good">{texts.noGaps}</Badge>
        )}
      </p>
      {weeks.map((span) => (
        <Week
          key={span.days[0]}
          {...{ span, colourOf, shifts: data.shifts, layers: data.layers ?? [], overrides: [] }}
          onChoose={undefined}
        />
      ))}
    </div>
  );
}
