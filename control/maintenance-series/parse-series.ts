import { isDeepStrictEqual } from 'node:util';
import type { CreateMaintenanceSeries } from '../../contract/manage/incidents/maintenance-series.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { parseProvidedTexts, parseText, parseTitle, refuseUnknownMonitors } from '../incidents/index.js';
import { parseSchedule, type Schedule } from './recurrence.js';
import type { SeriesFields } from './series.js';

/** The fields that were sent; absent ones come from the page or the series. */
export type SentSeries = SeriesFields;

/**
 * Checks and trims the fields of a series, whose schema was checked.
 *
 * @param now in milliseconds since the epoch.
 * @param before the series as it is stored; the texts that it shares with what was sent stay as they are.
 * @throws ServiceError `invalidBody` with the name of the field.
 */
export function parseFields(sent: SentSeries, now: number, before?: SeriesFields): SeriesFields {
  const { startsAt, timeZone, durationMinutes, rule } = sent;
  return {
    ...parseTextFields(sent, before),
    ...parseSchedule({ startsAt, timeZone, durationMinutes, rule }, now),
  };
}

/** parseFields() without the times. */
export function parseTextFields(sent: SentSeries, before?: SeriesFields): Omit<SeriesFields, keyof Schedule> {
  const [title, summary, texts] = [
    sent.title === before?.title ? sent.title : parseTitle(sent.title),
    sent.summary === before?.summary ? sent.summary : parseText('/summary', sent.summary),
    isDeepStrictEqual(sent.texts, before?.texts) ? sent.texts : parseTexts(sent.texts),
  ];
  refuseTwoTranslations({ title, summary, texts });
  return {
    title,
    summary,
    monitorSlugs: [...new Set(sent.monitorSlugs)],
    texts,
    noticeDays: sent.noticeDays,
  };
}

/** Translations are kept by their text, so that such a maintenance could not be published. */
function refuseTwoTranslations({
  title,
  summary,
  texts,
}: Pick<SeriesFields, 'title' | 'summary' | 'texts'>): void {
  if (title !== summary) return;
  const isTwofold = Object.values(texts).some(
    (text) => text.title !== undefined && text.summary !== undefined && text.title !== text.summary,
  );
  if (!isTwofold) return;
  throw new ServiceError('invalidBody', {
    message: '/texts must have the same translation for the title and the summary, which are the same.',
  });
}

/** Languages without a text are not there; the others are in one order, so that the same texts are the same series. */
function parseTexts(texts: NonNullable<CreateMaintenanceSeries['texts']>): SeriesFields['texts'] {
  const given = Object.entries(parseProvidedTexts(texts)).map(([language, { title, summary }]) => {
    const parsed = { ...(title !== undefined && { title }), ...(summary !== undefined && { summary }) };
    return [language, parsed] as const;
  });
  const filled = given.filter(([, parsed]) => Object.keys(parsed).length > 0);
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Refuses monitors and languages that the page does not have. The caller has locked the page.
 *
 * @throws ServiceError `invalidBody` with the name of the field.
 */
export async function refuseUnknown(
  tx: Transaction,
  pageId: PageId,
  { monitorSlugs, texts }: Pick<SeriesFields, 'monitorSlugs' | 'texts'>,
): Promise<void> {
  await refuseUnknownMonitors(tx, pageId, monitorSlugs);
  const [page] = await tx<{ languages: string[] }[]>`
    select array_remove(languages, default_language) as languages from pages where id = ${pageId}`;
  const languages = page?.languages ?? [];
  if (Object.keys(texts).every((language) => languages.includes(language))) return;
  const known = languages.length === 0 ? 'it has none' : `those are ${languages.join(', ')}`;
  throw new ServiceError('invalidBody', {
    message: `/texts must have languages of the page besides its default one; ${known}.`,
  });
}
