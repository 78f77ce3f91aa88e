import type { Incident, UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type IncidentId, newId, type PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { type ProvidedText, provideTranslations, requestTranslations } from '../translations/index.js';
import { announce, silenceAnnouncements } from './announcements.js';
import { insertUpdate } from './append.js';
import { type Audit, recordIncidentChange } from './audit.js';
import { checkRoomForIncident, lockPageOfIncidents } from './limits.js';
import type { IncidentFields } from './parse.js';
import {
  attachMonitors,
  countMonitors,
  type IncidentRow,
  loadMonitorSlugs,
  lockIncident,
  maintenanceState,
  refuseUnknownMonitors,
  toIncident,
} from './rows.js';

export type RecordedIncident = {
  pageId: PageId;
  input: IncidentFields;
  /** Milliseconds since the epoch, as are the times of the updates, which follow in their order. */
  publishedAt: number;
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
  texts: readonly ProvidedText[];
};

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Opens an incident or schedules maintenance, announces it, and requests its translations. Ignores slugs without a
 * monitor, or with `knownMonitors` refuses them.
 *
 * @throws ServiceError `incidentLimit` when the page has too many open incidents, or too much text and services in them;
 *   `invalidBody` for an unknown monitor.
 */
export async function createIncident(
  { sql, clock, by }: Deps,
  {
    pageId,
    input,
    knownMonitors = false,
  }: { pageId: PageId; input: IncidentFields; knownMonitors?: boolean },
): Promise<Incident> {
  return inTransaction(sql, async (tx) => {
    await lockPageOfIncidents(tx, pageId);
    if (knownMonitors) await refuseUnknownMonitors(tx, pageId, input.monitorSlugs);
    if (input.resolvedAt === null) {
      const services = await countMonitors(tx, pageId, input.monitorSlugs);
      await checkRoomForIncident(tx, pageId, { ...input, services });
    }
    return createIncidentIn(tx, { pageId, input, now: clock.now(), by });
  });
}

type NewIncident = Audit & { pageId: PageId; input: IncidentFields };

/** createIncident() as part of a transaction, and without its limits. `now` is in milliseconds since the epoch. */
export async function createIncidentIn(
  tx: Transaction,
  { pageId, input, ...audit }: NewIncident,
): Promise<Incident> {
  const { row, slugs } = await insertIncident(tx, { pageId, input, ...audit });
  await recordIncidentChange(tx, audit, { pageId, verb: 'create', before: null, after: { ...row, slugs } });
  return toIncident(row, slugs);
}

type Inserted = { row: Omit<IncidentRow, 'announced_state' | 'revision'>; slugs: string[] };

async function insertIncident(tx: Transaction, { pageId, input, now, by }: NewIncident): Promise<Inserted> {
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
    author_type: by.type,
    author_id: by.id,
    author_name: by.name,
  };
  const state = maintenanceState(row, now);
  // A maintenance whose planned end has passed has no end yet; the job move-maintenance gives it that end.
  const announcedState = state === 'completed' && row.resolved_at === null ? 'in_progress' : state;
  await tx`insert into incidents ${tx({ ...row, announced_state: announcedState })}`;
  await attachMonitors(tx, pageId, row.id, input.monitorSlugs);
  await requestTranslations(tx, { pageId, texts: [input.title, input.summary], now });
  await announce(tx, { pageId, incidentId: row.id, kind: `${input.type}.created`, now });
  return { row, slugs: await loadMonitorSlugs(tx, row.id) };
}

/**
 * Records a past incident with its timeline and translations. Sends no email and calls no webhook. Returns its id.
 */
export async function recordIncident(
  { sql, clock, by }: Deps,
  { pageId, input, publishedAt, updates, texts }: RecordedIncident,
): Promise<IncidentId> {
  return inTransaction(sql, async (tx) => {
    const { row, slugs } = await insertIncident(tx, { pageId, input, now: publishedAt, by });
    for (const { at: now, status, body } of updates) {
      const incident = await lockIncident(tx, pageId, row.id);
      if (incident === undefined) throw new Error('The incident that was just inserted is gone.');
      await insertUpdate(tx, { pageId, incident, input: { status, body, notify: false }, now, by });
    }
    for (const text of texts) await provideTranslations(tx, { pageId, text, now: publishedAt });
    await silenceAnnouncements(tx, row.id);
    const incident = await lockIncident(tx, pageId, row.id);
    const after = { ...(incident ?? row), slugs };
    const extra = { before: {}, after: { updates: updates.length } };
    const audit = { by, now: clock.now() };
    await recordIncidentChange(tx, audit, { pageId, verb: 'import', before: null, after, extra });
    return row.id;
  });
}
