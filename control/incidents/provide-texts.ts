import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { recordChange } from '../audit/index.js';
import { type WrittenTranslation, writeTranslations } from '../translations/index.js';
import { type Audit, boundText } from './audit.js';
import type { StoredUpdate } from './correct-update.js';
import type { IncidentRow } from './incident-row.js';
import { parseText, parseTitle } from './parse-incident.js';

/** Translations by people of the texts of something new, by language. */
export type ProvidedTexts = Readonly<Record<string, { title?: string; summary?: string; body?: string }>>;

type Target = Audit & {
  pageId: PageId;
  incident: Pick<IncidentRow, 'id' | 'title' | 'summary'>;
  language: string;
  texts: { title?: string; summary?: string };
  updates: readonly { stored: Pick<StoredUpdate, 'id' | 'body'>; body: string }[];
};

/** Names in the audit log of what a text is the translation of. */
type Part = WrittenTranslation & { name: string };

/**
 * Writes translations of the texts of an incident, whatever was there before. The caller has locked the page and the
 * incident. Returns whether that changed anything.
 *
 * @throws ServiceError `invalidBody` when the same text would have two translations.
 */
export async function writeTexts(tx: Transaction, target: Target): Promise<boolean> {
  const { pageId, incident, language, texts, updates, ...audit } = target;
  const parts: Part[] = [
    ...(texts.title === undefined ? [] : [{ name: 'title', source: incident.title, text: texts.title }]),
    ...(texts.summary === undefined
      ? []
      : [{ name: 'summary', source: incident.summary, text: texts.summary }]),
    ...updates.map(({ stored, body }) => ({ name: `update ${stored.id}`, source: stored.body, text: body })),
  ];
  const written = distinctTexts(parts);
  const before = await writeTranslations(tx, { pageId, language, written, now: audit.now });
  const isSame = ({ source, text }: Part) => {
    const was = before.get(source);
    return was?.byPerson === true && was.text === text;
  };
  if (parts.every(isSame)) return false;
  const side = (of: (part: Part) => object | null) =>
    Object.fromEntries(parts.map((part) => [part.name, of(part)]));
  const shown = (text: string, byPerson: boolean) => ({
    text: boundText(text),
    translated: byPerson ? 'person' : 'machine',
  });
  await recordChange(tx, audit, {
    ...{ pageId, action: 'incident-text.update' },
    target: { type: 'incident-text', id: `${incident.id}/${language}`, name: incident.title },
    before: side(({ source }) => {
      const was = before.get(source);
      return was === undefined ? null : shown(was.text, was.byPerson);
    }),
    after: side(({ text }) => shown(text, true)),
  });
  return true;
}

/** @throws ServiceError `invalidBody` when the same text would have two translations. */
function distinctTexts(parts: readonly Part[]): WrittenTranslation[] {
  const written = new Map<string, string>();
  for (const { source, text } of parts) {
    if ((written.get(source) ?? text) !== text) {
      throw invalid('Two texts that are the same in the default language must have the same translation.');
    }
    written.set(source, text);
  }
  return [...written].map(([source, text]) => ({ source, text }));
}

/**
 * Writes the translations that came with a new incident, or with a new update, in the transaction that announces it.
 * The caller has locked the page. Returns whether that changed anything.
 *
 * @throws ServiceError `invalidBody` for a language that the page does not translate into, and for a `body` without an
 *   update; as writeTexts() does.
 */
export async function provideTexts(
  tx: Transaction,
  {
    provided,
    update,
    ...target
  }: Omit<Target, 'language' | 'texts' | 'updates'> & {
    provided: ProvidedTexts;
    /** The new update, which `body` translates. */
    update?: Pick<StoredUpdate, 'id' | 'body'> | undefined;
  },
): Promise<boolean> {
  const given = Object.entries(provided);
  if (given.length === 0) return false;
  let isChanged = false;
  const languages = await otherLanguages(tx, target.pageId);
  for (const [language, { body, ...texts }] of given) {
    if (!languages.includes(language)) {
      const known = languages.length === 0 ? 'it has none' : `those are ${languages.join(', ')}`;
      throw invalid(`/texts must have languages of the page besides its default one; ${known}.`);
    }
    if (body !== undefined && update === undefined)
      throw invalid(`/texts/${language}/body translates an update, and there is none.`);
    const updates = update === undefined || body === undefined ? [] : [{ stored: update, body }];
    if (await writeTexts(tx, { ...target, language, texts, updates })) isChanged = true;
  }
  return isChanged;
}

async function otherLanguages(tx: Transaction, pageId: PageId): Promise<string[]> {
  const [page] = await tx<{ languages: string[] }[]>`
    select array_remove(languages, default_language) as languages from pages where id = ${pageId}`;
  return page?.languages ?? [];
}

/**
 * Checks and trims translations, whose schema was checked.
 *
 * @throws ServiceError `invalidBody` with the name of the field.
 */
export function parseProvidedTexts(texts: ProvidedTexts = {}): ProvidedTexts {
  return Object.fromEntries(
    Object.entries(texts).map(([language, { title, summary, body }]) => [
      language,
      {
        ...(title !== undefined && { title: parseTitle(title) }),
        ...(summary !== undefined && { summary: parseText(`/texts/${language}/summary`, summary) }),
        ...(body !== undefined && { body: parseText(`/texts/${language}/body`, body) }),
      },
    ]),
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
