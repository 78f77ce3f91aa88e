import type { Incident, UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId, parseId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type ProvidedText, provideTranslations, requestTranslations } from '../translations/index.js';
import { announce, silenceAnnouncements } from './announcements.js';
import { appendUpdateIn } from './change.js';
import { checkRoomForIncident, lockPageOfIncidents } from './limits.js';
import type { IncidentFields } from './parse.js';
import { attachMonitors, countMonitors, loadMonitorSlugs, maintenanceState, toIncident } from './rows.js';

export type RecordedIncident = {
  pageId: PageId;
  input: IncidentFields;
  /** Milliseconds since the epoch, as are the times of the updates, which follow in their order. */
  publishedAt: number;
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
  texts: readonly ProvidedText[];
};

/**
 * Opens an incident or schedules maintenance, announces it, and requests its translations.
 *
 * @throws ServiceError `incidentLimit` when the page has too many open incidents, or too much text and services in them.
 */
export async function createIncident(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, input }: { pageId: PageId; input: IncidentFields },
): Promise<Incident> {
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    if (input.resolvedAt === null) {
      const services = await countMonitors(tx, pageId, input.monitorSlugs);
      await checkRoomForIncident(tx, pageId, { ...input, services });
    }
    return createIncidentIn(tx, { pageId, input, now: clock.now() });
  });
}

/** createIncident() as part of a transaction, and without its limits. `now` is in milliseconds since the epoch. */
export async function createIncidentIn(
  tx: Transaction,
  { pageId, input, now }: { pageId: PageId; input: IncidentFields; now: number },
): Promise<Incident> {
  const row = {
    id: newId<IncidentId>(now),
    page_id: pageId,
    type: input.type,
    title: input.title,
    summary: input.summary,
    started_at: input.startedAt,
    resolved_at: input.resolvedAt,
    scheduled_end_at: input.scheduledEndAt,
    published_at: new Date(now),
  };
  const state = maintenanceState(row, now);
  // A maintenance whose planned end has passed has no end yet; the job move-maintenance gives it that end.
  const announcedState = state === 'completed' && row.resolved_at === null ? 'in_progress' : state;
  await tx`insert into incidents ${tx({ ...row, announced_state: announcedState })}`;
  await attachMonitors(tx, pageId, row.id, input.monitorSlugs);
  await requestTranslations(tx, { pageId, texts: [input.title, input.summary], now });
  await announce(tx, { pageId, incidentId: row.id, kind: `${input.type}.created`, now });
  return toIncident(row, await loadMonitorSlugs(tx, row.id));
}

/**
 * Records a past incident with its timeline and translations. Sends no email and calls no webhook. Returns its id.
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
    for (const text of texts) await provideTranslations(tx, { pageId, text, now: publishedAt });
    await silenceAnnouncements(tx, incidentId);
    return incidentId;
  });
}
