import type { IncidentType, UpdateStatus } from '../../../../../contract/incidents.js';
import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import type { CreateMaintenanceSeries } from '../../../../../contract/manage/incidents/maintenance-series.js';
import { useAddress } from '../../../address/use-address.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { toWallTime } from '../../../kit/form/zoned-time.js';
import { showNotice } from '../../../kit/notice.js';
import { pagePath } from '../../../reads/api-path.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { type ImpactValues, impactOf } from '../impact-fields.js';
import { noRecurrence, type Recurrence, ruleOf } from '../maintenance/recurrence.js';
import { publish } from '../publish.js';
import { incidentsTexts } from '../texts.js';
import type { PageFacts } from '../use-page-facts.js';
import { type ComposerTexts, composerTexts } from './texts.js';

/** Translations by the person, by language. */
export type OwnTexts = Readonly<Record<string, { title?: string; summary?: string; body?: string }>>;

export type ComposerValues = {
  /** Slug of the template that the texts come from; empty without one. */
  template: string;
  title: string;
  summary: string;
  monitorSlugs: string[];
  /** Incidents alone. */
  impact: ImpactValues['impact'];
  serviceStates: ImpactValues['serviceStates'];
  /** Incidents alone: whether it began just now, or at `startedAt`. */
  start: 'now' | 'earlier';
  /** ISO-8601. */
  startedAt: string;
  /** For maintenance alone. */
  scheduledEndAt: string;
  status: UpdateStatus;
  /** Text of the first update; empty without one. */
  body: string;
  /** Whether email and webhooks tell of it now. A series announces each maintenance at its time. */
  notify: boolean;
  texts: OwnTexts;
  /** For maintenance alone. */
  recurrence: Recurrence;
};

/** Props that the parts of the form share. */
export type ComposerFormProps = {
  type: IncidentType;
  form: FormState<ComposerValues>;
  page: PageFacts | undefined;
};

const initial: ComposerValues = {
  ...{ template: '', title: '', summary: '', monitorSlugs: [], startedAt: '', scheduledEndAt: '' },
  ...{ impact: '', serviceStates: {} },
  ...{ start: 'now', status: 'investigating', body: '', notify: true, texts: {}, recurrence: noRecurrence },
};

/**
 * The form of a new incident or maintenance; what is entered survives a reload until it is published.
 *
 * @param zone IANA name of the zone of the page
 */
export function useComposer(type: IncidentType, zone: string): FormState<ComposerValues> {
  const { slug } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(composerTexts);
  const { publishedBefore } = useTexts(incidentsTexts);
  return useForm<ComposerValues>({
    initial,
    keptAs: `new ${type}`,
    required: ['title', 'summary', ...(type === 'maintenance' ? (['startedAt'] as const) : [])],
    check: (values) => checkValues(type, values, texts, zone),
    fieldOf,
    word: (field, code) => wordOf(field, code, texts),
    async send(values, { key: publishKey }) {
      const series = type === 'maintenance' ? seriesOf(values, zone) : undefined;
      if (series !== undefined) {
        await publish(pagePath(slug, '/maintenance-series'), series, { publishKey, publishedBefore });
        showNotice(texts.planned);
        choose({ new: undefined, template: undefined, view: 'calendar', month: series.startsAt.slice(0, 7) });
        return;
      }
      const path = pagePath(slug, '/incidents');
      const once = { publishKey, publishedBefore };
      const made = await publish<ManagedIncident>(path, bodyOf(type, values), once);
      showNotice(texts.published[type]);
      choose({ new: undefined, template: undefined, incident: made.id });
    },
  });
}

/** Where the form shows what is wrong with a field of the request. */
function fieldOf(field: string): string | undefined {
  const others: Readonly<Record<string, string>> = {
    ...{ durationMinutes: 'scheduledEndAt', startsAt: 'startedAt', timeZone: 'startedAt', update: 'body' },
  };
  const own = [
    ...['title', 'summary', 'monitorSlugs', 'impact', 'serviceStates'],
    ...['startedAt', 'scheduledEndAt', 'rule', 'noticeDays'],
  ];
  return own.includes(field) ? field : others[field];
}

/** A length is the time between two fields here. */
function wordOf(field: string, code: string | undefined, texts: ComposerTexts): string | undefined {
  if (field !== 'durationMinutes') return undefined;
  return code === 'maintenance.overlaps' ? texts.overlaps : texts.tooLong;
}

/** Returns the values that the fields of the recurrence need. */
export function spanOf({ startedAt, scheduledEndAt }: ComposerValues, zone: string) {
  const [start, end] = [Date.parse(startedAt), Date.parse(scheduledEndAt)];
  const minutes = Math.round((end - start) / 60_000);
  return {
    startsAt: Number.isNaN(start) ? '' : toWallTime(start, zone),
    durationMinutes: minutes > 0 ? minutes : null,
  };
}

/** The body of a series; `undefined` for what does not recur. */
function seriesOf(values: ComposerValues, zone: string): CreateMaintenanceSeries | undefined {
  const { title, summary, monitorSlugs, recurrence } = values;
  const { startsAt, durationMinutes } = spanOf(values, zone);
  const rule = ruleOf(recurrence, startsAt, zone);
  if (rule === undefined || durationMinutes === null) return undefined;
  const texts = Object.entries(writtenOf(values)).map(([tag, { body: _, ...own }]) => [tag, own]);
  return {
    ...{ title, summary, monitorSlugs, startsAt, timeZone: zone, durationMinutes, rule },
    ...(recurrence.noticeDays !== null && { noticeDays: recurrence.noticeDays }),
    texts: Object.fromEntries(texts),
  };
}

function checkValues(
  type: IncidentType,
  values: ComposerValues,
  texts: ComposerTexts,
  zone: string,
): Record<string, string> {
  const { start, startedAt, scheduledEndAt, status, body, recurrence } = values;
  if (type === 'incident') {
    if (start === 'earlier' && startedAt === '') return { startedAt: texts.startMissing };
    return status !== 'investigating' && body.trim() === '' ? { body: texts.firstMissing } : {};
  }
  if (scheduledEndAt === '') return { scheduledEndAt: texts.endMissing };
  const isAfter = startedAt === '' || Date.parse(scheduledEndAt) > Date.parse(startedAt);
  if (!isAfter) return { scheduledEndAt: texts.endBeforeStart };
  const isWhole = recurrence.repeat === 'never' || seriesOf(values, zone) !== undefined;
  return isWhole ? {} : { rule: texts.ruleMissing };
}

/** The body of the request: without what is empty. */
function bodyOf(type: IncidentType, values: ComposerValues): object {
  const { title, summary, monitorSlugs, start, startedAt, scheduledEndAt, status, body, notify } = values;
  const texts = writtenOf(values);
  const isMaintenance = type === 'maintenance';
  return {
    ...{ type, title, summary, monitorSlugs, notify },
    ...((isMaintenance || start === 'earlier') && { startedAt }),
    ...(isMaintenance ? { scheduledEndAt } : impactOf(values)),
    ...(!isMaintenance && body.trim() !== '' && { update: { status, body } }),
    ...(Object.keys(texts).length > 0 && { texts }),
  };
}

/** The translations that have a text; without an update there is none of it. */
export function writtenOf(
  values: Pick<ComposerValues, 'texts' | 'body'>,
): Record<string, Record<string, string>> {
  const isUpdated = values.body.trim() !== '';
  const isWritten = ([name, text]: [string, string]) => text.trim() !== '' && (isUpdated || name !== 'body');
  const written = Object.entries(values.texts).map(
    ([tag, own]) => [tag, Object.fromEntries(Object.entries(own).filter(isWritten))] as const,
  );
  return Object.fromEntries(written.filter(([, own]) => Object.keys(own).length > 0));
}
