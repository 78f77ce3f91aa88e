import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import {
  boundText,
  countRevision,
  lockIncident,
  lockPageOfIncidents,
  parseText,
} from '../incidents/index.js';
import { requestTranslations, writeTranslations } from '../translations/index.js';
import { findPostmortem, type Postmortem, type PostmortemRef } from './postmortem.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };
type Check = (current: Postmortem | undefined) => void;

/**
 * Publishes the postmortem of an incident that is over, or replaces it. `texts` has translations by people, by language;
 * the machine translates into the languages without one. The page and its feeds show it; nobody is notified. Returns
 * `undefined` when the page has no such incident.
 *
 * @throws ServiceError `invalidBody` for a text that is not fit and for a language that the page does not translate into,
 *   `conflict` while the incident is open; what `check` throws.
 */
export async function putPostmortem(
  { sql, clock, by }: Deps,
  {
    texts = {},
    ...input
  }: PostmortemRef & { body: string; texts?: Readonly<Record<string, string>> | undefined },
  check?: Check,
): Promise<{ postmortem: Postmortem; isNew: boolean } | undefined> {
  const { pageId, incidentId } = input;
  const body = parseText('/body', input.body);
  const now = clock.now();
  return inTransaction(sql, async (tx) => {
    const languages = await lockPage(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident === undefined) return undefined;
    const before = await findPostmortem(tx, input);
    check?.(before);
    if (incident.resolved_at === null) {
      throw new ServiceError('conflict', { message: 'The incident is not over; resolve it first.' });
    }
    const at = new Date(now);
    await tx`
      insert into postmortems (incident_id, page_id, body, published_at)
      values (${incidentId}, ${pageId}, ${body}, ${at})
      on conflict (incident_id) do update set body = excluded.body, corrected_at = excluded.published_at
        where postmortems.body <> excluded.body`;
    await requestTranslations(tx, { pageId, texts: [body], now });
    for (const [language, text] of Object.entries(texts)) {
      refuseLanguage(language, languages);
      const written = [{ source: body, text: parseText(`/texts/${language}`, text) }];
      await writeTranslations(tx, { pageId, language, written, now });
    }
    const after = await findPostmortem(tx, input);
    if (after === undefined) throw new Error('The postmortem that was just written is gone.');
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      await countRevision(tx, incidentId);
      await record(tx, { by, now }, { ...input, title: incident.title, before: before ?? null, after });
    }
    return { postmortem: after, isNew: before === undefined };
  });
}

/**
 * Takes a postmortem back. Returns false when there is none.
 *
 * @throws what `check` throws.
 */
export async function deletePostmortem(
  { sql, clock, by }: Deps,
  ref: PostmortemRef,
  check?: Check,
): Promise<boolean> {
  const { pageId, incidentId } = ref;
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    const incident = await lockIncident(tx, pageId, incidentId);
    if (incident === undefined) return false;
    const before = await findPostmortem(tx, ref);
    if (before === undefined) return false;
    check?.(before);
    await tx`delete from postmortems where incident_id = ${incidentId} and page_id = ${pageId}`;
    await countRevision(tx, incidentId);
    await record(tx, { by, now: clock.now() }, { ...ref, title: incident.title, before, after: null });
    return true;
  });
}

/** Locks the page until the transaction ends. Returns the languages that it translates into. */
async function lockPage(tx: Transaction, pageId: PostmortemRef['pageId']): Promise<string[]> {
  await lockPageOfIncidents(tx, pageId);
  const [page] = await tx<{ others: string[] }[]>`
    select array_remove(languages, default_language) as others from pages where id = ${pageId}`;
  return page?.others ?? [];
}

function refuseLanguage(language: string, known: readonly string[]): void {
  if (known.includes(language)) return;
  const those = known.length === 0 ? 'it has none' : `those are ${known.join(', ')}`;
  throw new ServiceError('invalidBody', {
    message: `/texts must have languages of the page besides its default one; ${those}.`,
  });
}

type PostmortemChange = PostmortemRef & {
  title: string;
  before: Postmortem | null;
  after: Postmortem | null;
};

function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, incidentId, title, before, after }: PostmortemChange,
): Promise<void> {
  const fieldsOf = ({ body, texts }: Postmortem): AuditedFields => ({
    body: boundText(body),
    texts: Object.fromEntries(
      Object.entries(texts).map(([language, { text, byPerson }]) => [
        language,
        { text: boundText(text), translated: byPerson ? 'person' : 'machine' },
      ]),
    ),
  });
  const verb = after === null ? 'delete' : before === null ? 'create' : 'update';
  return recordChange(tx, audit, {
    pageId,
    action: `postmortem.${verb}`,
    target: { type: 'postmortem', id: incidentId, name: title },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
}
