import { createHash } from 'node:crypto';
import type { UpdateStatus } from '../../contract/incidents.js';
import { type IncidentId, type PageId, parseId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { appendUpdateIn } from './append-update.js';
import { createIncidentIn } from './create-incident.js';
import type { IncidentFields } from './parse-incident.js';

/** A text in the default language of the page, and what it is in others, by language. */
export type ProvidedText = { text: string; translations: Readonly<Record<string, string>> };

export type RecordedIncident = {
  pageId: PageId;
  input: IncidentFields;
  /** When it was published; milliseconds since the epoch, as are the times of the updates, which follow in their order. */
  publishedAt: number;
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
  texts: readonly ProvidedText[];
};

/**
 * Writes an incident down as it went, with its timeline and translations, after the event: nobody is told of it by email
 * or webhook. Answers its id.
 */
export async function recordIncident(
  { sql }: { sql: Sql },
  { pageId, input, publishedAt, updates, texts }: RecordedIncident,
): Promise<IncidentId> {
  return inTransaction(sql, async (tx) => {
    const { id } = await createIncidentIn(tx, { pageId, input, now: publishedAt });
    const incidentId = parseId<IncidentId>(id);
    if (incidentId === undefined) throw new Error('The incident that was just inserted has no id.');
    for (const { at, status, body } of updates) {
      await appendUpdateIn(tx, { pageId, incidentId, input: { status, body, notify: false }, now: at });
    }
    for (const text of texts) await provideTranslations(tx, pageId, text, publishedAt);
    await tx`
      update announcements set webhooks_queued_at = created_at, emails_queued_at = created_at
      where incident_id = ${incidentId}`;
    return incidentId;
  });
}

/** The rows are there since the text was written; only languages of the page have one. */
async function provideTranslations(
  tx: Transaction,
  pageId: PageId,
  { text, translations }: ProvidedText,
  now: number,
): Promise<void> {
  const hash = createHash('sha256').update(text).digest('hex');
  for (const [language, translation] of Object.entries(translations)) {
    await tx`
      update translations set text = ${translation}, translated_at = ${new Date(now)}, reason = null
      where page_id = ${pageId} and source_hash = decode(${hash}, 'hex') and language = ${language}`;
  }
}
