import type { IncidentType, UpdateStatus } from '../../../../../contract/incidents.js';
import type { PutTemplate, Template } from '../../../../../contract/manage/incidents/templates.js';

/** A prepared update with its translations, by language. */
export type UpdateValues = { status: UpdateStatus; body: string; texts: Readonly<Record<string, string>> };

/** The fields of a template as its form has them; nothing is absent. */
export type TemplateValues = {
  slug: string;
  name: string;
  type: IncidentType;
  title: string;
  summary: string;
  monitorSlugs: string[];
  updates: UpdateValues[];
  texts: Readonly<Record<string, { title: string; summary: string }>>;
};

export const emptyTemplate: TemplateValues = {
  ...{ slug: '', name: '', type: 'incident', title: '', summary: '' },
  ...{ monitorSlugs: [], updates: [], texts: {} },
};

/** An update and its translations travel together, so that translations follow a moved or removed update. */
export function valuesOf({
  slug,
  name,
  type,
  title,
  summary,
  monitorSlugs,
  ...rest
}: Template): TemplateValues {
  const texts = Object.entries(rest.texts);
  return {
    ...{ slug, name, type, title, summary, monitorSlugs },
    updates: rest.updates.map(({ status, body }, i) => ({
      ...{ status, body },
      texts: Object.fromEntries(
        texts.flatMap(([language, { updates }]) => {
          const text = updates?.[i];
          return text ? [[language, text]] : [];
        }),
      ),
    })),
    texts: Object.fromEntries(
      texts
        .filter(([, text]) => text.title !== undefined || text.summary !== undefined)
        .map(([language, text]) => [language, { title: text.title ?? '', summary: text.summary ?? '' }]),
    ),
  };
}

/** The body of the PUT. */
export function bodyOf({ slug: _, updates, texts, ...values }: TemplateValues): PutTemplate {
  const languages = new Set([
    ...Object.keys(texts),
    ...updates.flatMap((update) => Object.keys(update.texts)),
  ]);
  return {
    ...values,
    updates: updates.map(({ status, body }) => ({ status, body })),
    texts: Object.fromEntries(
      [...languages].map((language) => [
        language,
        { ...texts[language], updates: updates.map((update) => update.texts[language] || null) },
      ]),
    ),
  };
}
