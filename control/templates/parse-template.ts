import type { PutTemplate } from '../../contract/manage/incidents/templates.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseText, parseTitle } from '../incidents/index.js';
import type { TemplateFields } from './template.js';

type Texts = TemplateFields['texts'][string];

/**
 * Checks and trims the fields of a template, whose schema was checked. Texts without a word, and languages without a
 * text, are not there.
 *
 * @throws ServiceError `invalidBody` with the name of the field
 */
export function parseTemplate({ slug: _, ...body }: PutTemplate): TemplateFields {
  const updates = (body.updates ?? []).map(({ status, body: text }, i) => ({
    status,
    body: optionalText(`/updates/${i}/body`, text),
  }));
  const texts = Object.entries(body.texts ?? {})
    .map(([language, given]) => [language, parseTexts(language, given, updates.length)] as const)
    .filter(([, given]) => Object.keys(given).length > 0)
    // In one order, so that the same texts are the same template.
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    name: body.name.trim().toWellFormed(),
    type: body.type ?? 'incident',
    title: optionalTitle(body.title),
    summary: optionalText('/summary', body.summary),
    monitorSlugs: [...new Set(body.monitorSlugs ?? [])],
    updates,
    texts: Object.fromEntries(texts),
  };
}

function parseTexts(language: string, { title, summary, updates }: Texts, updateCount: number): Texts {
  const at = `/texts/${language}`;
  if ((updates?.length ?? 0) > updateCount) {
    throw new ServiceError('invalidBody', {
      message: `${at}/updates must not be longer than /updates, which has ${updateCount}.`,
    });
  }
  const bodies = Array.from(
    { length: updateCount },
    (_, i) => optionalText(`${at}/updates/${i}`, updates?.[i]) || null,
  );
  const parsed = { title: optionalTitle(title), summary: optionalText(`${at}/summary`, summary) };
  return {
    ...(parsed.title !== '' && { title: parsed.title }),
    ...(parsed.summary !== '' && { summary: parsed.summary }),
    ...(bodies.some((body) => body !== null) && { updates: bodies }),
  };
}

function optionalTitle(text = ''): string {
  return text.trim() === '' ? '' : parseTitle(text);
}

function optionalText(at: string, text: string | null = ''): string {
  return text === null || text.trim() === '' ? '' : parseText(at, text);
}
