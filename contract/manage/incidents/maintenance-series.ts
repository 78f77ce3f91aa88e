import Type, { type Static } from 'typebox';
import { incidentLimits } from '../../incidents.js';
import { Line } from '../../line.js';
import { closed, Id, nullable, Time } from '../shared.js';
import { Author } from './incidents.js';

/** Limits of maintenance series. Characters are UTF-16 code units. */
export const seriesLimits = {
  perPage: 20,
  /** Published occurrences that have not ended: of a series, and of all series of a page. */
  openPerSeries: 10,
  openPerPage: 30,
  ruleChars: 500,
  durationMinutesMax: 14 * 1_440,
  noticeDaysMax: 90,
  /** Next occurrences that a series shows. */
  shown: 10,
  /** Next occurrences that a preview shows. */
  previewed: 20,
  /** Longest range of a list of occurrences. */
  rangeDaysMax: 62,
  /** Occurrences that a list has at most. */
  listed: 2_000,
} as const;

const title = Line('title', {
  charsMax: incidentLimits.titleChars,
  description: "In the page's default language.",
});
const summary = Type.String({
  minLength: 1,
  maxLength: incidentLimits.textChars,
  description: "In the page's default language; Markdown.",
});
const textsWith = (titleSchema: Type.TString) =>
  Type.Record(
    Type.String(),
    closed({
      title: Type.Optional(titleSchema),
      summary: Type.Optional(Type.String({ minLength: 1, maxLength: incidentLimits.textChars })),
    }),
    { description: 'Translations by people, by language of the page; without its default language.' },
  );
const texts = textsWith(Line('title', { charsMax: incidentLimits.titleChars }));
const startsAt = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$',
  description:
    'What the clock of the time zone shows at the first start, such as 2026-12-06T02:00. At most five years ago. The first occurrence is then, or at the first time after it that the rule names.',
});
const timeZone = Type.String({ maxLength: 64, description: 'Such as Europe/Berlin.' });
const durationMinutes = Type.Integer({ minimum: 1, maximum: seriesLimits.durationMinutesMax });
const rule = Type.String({
  minLength: 1,
  maxLength: seriesLimits.ruleChars,
  description:
    'A recurrence rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=SU; daily at most. The lengths of its lists, multiplied, are at most 100, COUNT and INTERVAL at most 366. A time that the clock of the zone skips has no occurrence; of one that it shows twice, the first counts.',
});
const noticeDays = Type.Integer({
  minimum: 1,
  maximum: seriesLimits.noticeDaysMax,
  description: `How many days before its start an occurrence is published; later while ${seriesLimits.openPerSeries} of the series or ${seriesLimits.openPerPage} of the page are published and have not ended.`,
});

const occurrence = { startsAt: Time, endsAt: Time };

export const SeriesOccurrence = closed({
  ...occurrence,
  incidentId: nullable(Type.String({ description: 'The maintenance that it was published as.' })),
  isSkipped: Type.Boolean({
    description: 'Whether it was left out, before it was published or by the deletion of its maintenance.',
  }),
});
export type SeriesOccurrence = Static<typeof SeriesOccurrence>;

/** Maintenance that recurs. */
export const MaintenanceSeries = closed({
  id: Id,
  title: Type.String({ description: "In the page's default language." }),
  summary,
  monitorSlugs: Type.Array(Type.String()),
  texts: textsWith(Type.String()),
  ...{ startsAt, timeZone, durationMinutes, rule, noticeDays },
  occurrences: Type.Array(SeriesOccurrence, {
    description: `The next ${seriesLimits.shown} that have not ended.`,
  }),
  revision: Type.Integer({ description: 'Counts the changes of the series.' }),
  author: Author,
  createdAt: Time,
});
export type MaintenanceSeries = Static<typeof MaintenanceSeries>;

const monitorSlugs = Type.Array(Type.String(), {
  maxItems: incidentLimits.monitorSlugs,
  description: 'Slugs of monitors of the page; any other is refused.',
});
const optionalZone = Type.Optional(
  Type.String({ maxLength: 64, description: 'Such as Europe/Berlin; that of the page when absent.' }),
);

export const CreateMaintenanceSeries = closed({
  ...{ title, summary, startsAt, durationMinutes, rule },
  monitorSlugs: Type.Optional(monitorSlugs),
  texts: Type.Optional(texts),
  timeZone: optionalZone,
  noticeDays: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: seriesLimits.noticeDaysMax, default: 7 },
      description: 'How many days before its start an occurrence is published; 7 when absent.',
    }),
  ),
});
export type CreateMaintenanceSeries = Static<typeof CreateMaintenanceSeries>;

export const ChangeMaintenanceSeries = closed({
  ...Type.Partial(
    closed({ title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule, noticeDays }),
  ).properties,
  notify: Type.Optional(
    Type.Boolean({
      description:
        'Whether the change of the first published occurrence is announced; the others change in silence. When absent, only changes of the times are announced.',
    }),
  ),
});
export type ChangeMaintenanceSeries = Static<typeof ChangeMaintenanceSeries>;

export const PreviewMaintenanceSeries = closed({
  ...{ rule, startsAt, durationMinutes },
  timeZone: optionalZone,
});
export type PreviewMaintenanceSeries = Static<typeof PreviewMaintenanceSeries>;

export const SeriesPreview = closed({
  occurrences: Type.Array(closed(occurrence), {
    description: `The next ${seriesLimits.previewed} that have not ended.`,
  }),
  endsNever: Type.Boolean({ description: 'Whether the rule has neither COUNT nor UNTIL.' }),
});
export type SeriesPreview = Static<typeof SeriesPreview>;

/** An occurrence in the list of all series. */
export const ListedOccurrence = closed({
  seriesId: Id,
  title: Type.String({ description: "In the page's default language." }),
  ...SeriesOccurrence.properties,
});
export type ListedOccurrence = Static<typeof ListedOccurrence>;
