import type {
  ChangeMaintenanceSeries,
  MaintenanceSeries,
} from '../../../../../contract/manage/incidents/maintenance-series.js';
import { useAddress } from '../../../address/use-address.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { fromWallTime } from '../../../kit/form/zoned-time.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { DeleteSeries } from './delete-series.js';
import { OccurrenceList } from './occurrence-list.js';
import { recurrenceOf, ruleOf } from './recurrence.js';
import { sayRule } from './say-rule.js';
import { SeriesFields, type SeriesValues } from './series-fields.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';

type OneProps = { slug: string; id: string };

/** One series: its fields, its next occurrences, and its deletion. */
export function OneSeries({ slug, id }: OneProps) {
  const texts = useTexts(maintenanceTexts);
  const { choose } = useAddress();
  const path = pagePath(slug, `/maintenance-series/${encodeURIComponent(id)}`);
  const read = useRead<MaintenanceSeries>(path);
  const close = (): void => choose({ series: undefined });
  return (
    <Panel
      title={read.data?.title ?? texts.series}
      actions={
        <>
          <button type="button" class="button small" onClick={close}>
            {texts.back}
          </button>
          {read.data !== undefined && <DeleteSeries slug={slug} series={read.data} onDeleted={close} />}
        </>
      }
    >
      <ReadView read={read} skeleton={<Skeleton lines={8} />}>
        {(series) => (
          <div class="one-series">
            <SeriesForm {...{ slug, path, series, read }} />
            <section aria-label={texts.nextDates}>
              <h3>{texts.nextDates}</h3>
              <OccurrenceList slug={slug} series={series} onChange={read.retry} />
            </section>
          </div>
        )}
      </ReadView>
    </Panel>
  );
}

type FormProps = {
  slug: string;
  path: string;
  series: MaintenanceSeries;
  read: Read<MaintenanceSeries>;
};

function SeriesForm({ slug, path, series, read }: FormProps) {
  const texts = useTexts(maintenanceTexts);
  const kit = useTexts(kitTexts);
  const isReadOnly = useRefusal('incidents.write') !== undefined;
  const words = useWords(series);
  const editor = useEditor<MaintenanceSeries, SeriesValues>({
    ...{ path, read, saved: series, valuesOf, keptAs: `series ${series.id}` },
    required: ['title', 'summary', 'startsAt'],
    check: ({ recurrence }) => (recurrence.noticeDays === null ? { noticeDays: kit.required } : {}),
    bodyOf: (changes, values) => bodyOf(changes, values, series),
  });
  return (
    <>
      <ReadOnlyNote permission="incidents.write" />
      <Form
        form={editor}
        done={editor.isDone ? kit.saved : undefined}
        actions={
          !isReadOnly && (
            <SubmitButton form={editor} needsChange>
              {texts.save}
            </SubmitButton>
          )
        }
      >
        <SeriesFields {...{ slug, editor, isReadOnly }} zone={series.timeZone} />
        <p class="note">{texts.keepsEdits}</p>
      </Form>
      <ConflictDialog
        editor={editor}
        labels={{
          ...{
            title: texts.title,
            summary: texts.summary,
            monitorSlugs: texts.monitors,
            startsAt: texts.starts,
          },
          ...{ durationMinutes: texts.duration, recurrence: texts.rule },
        }}
        textOf={words}
      />
    </>
  );
}

function valuesOf(series: MaintenanceSeries): SeriesValues {
  const { title, summary, monitorSlugs, startsAt, durationMinutes } = series;
  return { title, summary, monitorSlugs, startsAt, durationMinutes, recurrence: recurrenceOf(series) };
}

/**
 * The rule follows from the first start as well: another day of the week is another rule. It is sent with each of the two,
 * whatever the series has by now, because somebody else may have changed it.
 */
function bodyOf(
  { recurrence: changed, durationMinutes, ...changes }: Partial<SeriesValues>,
  { recurrence, startsAt }: SeriesValues,
  { timeZone }: MaintenanceSeries,
): ChangeMaintenanceSeries {
  const rule = ruleOf(recurrence, startsAt, timeZone) ?? '';
  return {
    ...changes,
    ...(durationMinutes !== undefined && { durationMinutes: durationMinutes ?? 0 }),
    ...((changed !== undefined || changes.startsAt !== undefined) && { rule }),
    ...(changed !== undefined && changed.noticeDays !== null && { noticeDays: changed.noticeDays }),
  };
}

/** A value in words, with what a rule means at the first start of the version that it belongs to. */
function useWords({ timeZone, startsAt }: MaintenanceSeries) {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(timeZone);
  return (field: keyof SeriesValues, value: SeriesValues[keyof SeriesValues]): string => {
    if (Array.isArray(value)) return value.join(', ');
    if (value === null || value === '') return '';
    if (field === 'durationMinutes') return `${value} ${texts.minutes}`;
    if (typeof value !== 'object')
      return field === 'startsAt' ? dates.moment(fromWallTime(String(value), timeZone)) : String(value);
    const noticeDays = value.noticeDays ?? 0;
    const rule = ruleOf(value, startsAt, timeZone) ?? '';
    const way = sayRule({ rule, startsAt, timeZone, noticeDays }, texts, dates);
    return `${way} · ${texts.notice} ${noticeDays} ${texts.noticeUnit}`;
  };
}
