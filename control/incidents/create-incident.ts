import type { Incident, UpdateStatus } from '../../contract/incidents.js';
import type { Clock } from '../../lib/clock.js';
import { type AlarmId, type IncidentId, newId, type PageId, type UpdateId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { type ProvidedText, provideTranslations, requestTranslations } from '../translations/index.js';
import {
  type Affected,
  attachMonitors,
  countMonitors,
  loadAffected,
  refuseUnknownMonitors,
} from './affected-services.js';
import { announce, silenceAnnouncements } from './announcements.js';
import { toIncident } from './api-incidents.js';
import { insertUpdate } from './append-update.js';
import { type Audit, recordIncidentChange } from './audit.js';
import { type IncidentRow, lockIncident, maintenanceState } from './incident-row.js';
import { checkRoomForIncident, lockPageOfIncidents } from './limits.js';
import type { IncidentFields } from './parse-incident.js';
import { type ProvidedTexts, provideTexts } from './provide-texts.js';
import { type PublishKey, publishOnce } from './publish-once.js';

type RecordedIncident = {
  pageId: PageId;
  input: IncidentFields;
  /** Milliseconds since the epoch, as are the times of the updates, which follow in their order. */
  publishedAt: number;
  updates: readonly { at: number; status: UpdateStatus; body: string }[];
  texts: readonly ProvidedText[];
};

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Opens an incident or schedules maintenance, announces it unless `notify` is false, and requests its translations,
 * besides those in `texts`. `first` is an update that is there from the beginning, so that the announcement has it.
 * Ignores slugs without a monitor, or with `knownMonitors` refuses them.
 *
 * @throws ServiceError `incidentLimit` when the page has too many open incidents, or too much text and services in them;
 *   `invalidBody` for an unknown monitor, and for `texts` in a language that the page does not translate into.
 */
export async function createIncident({ sql, clock, by }: Deps, input: NewIncidentInput): Promise<Incident> {
  return inTransaction(sql, (tx) => openIncidentIn(tx, { ...input, now: clock.now(), by }));
}

/**
 * createIncident(), once for all requests with the same key. Returns the id of what the first one made.
 *
 * @throws ServiceError as createIncident() and publishOnce().
 */
export async function createIncidentOnce(
  { sql, clock, by }: Deps,
  { publishKey, ...input }: NewIncidentInput & { publishKey: PublishKey | undefined },
): Promise<string> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, input.pageId);
    const { id } = await publishOnce(tx, { pageId: input.pageId, publishKey, now }, async () => {
      const made = await openIncidentIn(tx, { ...input, now, by });
      return { id: made.id };
    });
    return id;
  });
}

type NewIncidentInput = Omit<NewIncident, keyof Audit> & {
  texts?: ProvidedTexts;
  knownMonitors?: boolean;
};

/** createIncident() as part of a transaction. `now` is in milliseconds since the epoch. */
export async function openIncidentIn(
  tx: Transaction,
  { pageId, input, first, notify, texts = {}, knownMonitors = false, ...audit }: NewIncidentInput & Audit,
): Promise<Incident> {
  await lockPageOfIncidents(tx, pageId);
  if (knownMonitors) await refuseUnknownMonitors(tx, pageId, input.monitorSlugs);
  if (input.resolvedAt === null) {
    const services = await countMonitors(tx, pageId, input.monitorSlugs);
    const summary = input.summary + (first?.body ?? '');
    await checkRoomForIncident(tx, pageId, { ...input, summary, services });
  }
  const { row, incident, update } = await createRowIn(tx, { pageId, input, first, notify, ...audit });
  await provideTexts(tx, { pageId, incident: row, update, provided: texts, ...audit });
  return incident;
}

/** The first update of an incident, which never ends it. */
type FirstUpdate = { status: UpdateStatus; body: string };

type NewIncident = Audit & {
  pageId: PageId;
  input: IncidentFields;
  first?: FirstUpdate | undefined;
  /** Whether to announce it by email and webhooks; true when absent. */
  notify?: boolean | undefined;
  /** See announce(). */
  afterAlarmId?: AlarmId | undefined;
};

/** createIncident() as part of a transaction, and without its limits. `now` is in milliseconds since the epoch. */
export async function createIncidentIn(tx: Transaction, input: NewIncident): Promise<Incident> {
  return (await createRowIn(tx, input)).incident;
}

async function createRowIn(
  tx: Transaction,
  { pageId, input, first, notify = true, afterAlarmId, ...audit }: NewIncident,
): Promise<Pick<Inserted, 'row' | 'update'> & { incident: Incident }> {
  const { row, affected, update } = await insertIncident(tx, {
    pageId,
    input,
    first,
    notify,
    afterAlarmId,
    ...audit,
  });
  await recordIncidentChange(tx, audit, {
    pageId,
    verb: 'create',
    before: null,
    after: { ...row, affected },
    ...(!notify && { extra: { before: {}, after: { notify } } }),
  });
  return { row, update, incident: toIncident(row, affected) };
}

type Inserted = {
  row: Omit<IncidentRow, 'announced_state' | 'revision'>;
  affected: Affected[];
  /** The first one. */
  update: { id: UpdateId; body: string } | undefined;
};

async function insertIncident(
  tx: Transaction,
  { pageId, input, first, notify = true, afterAlarmId, now, by }: NewIncident,
): Promise<Inserted> {
  const row = {
    id: newId<IncidentId>(now),
    page_id: pageId,
    type: input.type,
    title: input.title,
    summary: input.summary,
    started_at: input.startedAt,
    resolved_at: input.resolvedAt,
    scheduled_end_at: input.scheduledEndAt,
    impact: input.impact ?? null,
    published_at: new Date(now),
    author_type: by.type,
    author_id: by.id,
    author_name: by.name,
  };
  const state = maintenanceState(row, now);
  // A maintenance whose planned end has passed has no end yet; the job move-maintenance gives it that end.
  const announcedState = state === 'completed' && row.resolved_at === null ? 'in_progress' : state;
  await tx`insert into incidents ${tx({ ...row, announced_state: announcedState })}`;
  await attachMonitors(tx, pageId, row.id, input.monitorSlugs, input.serviceStates);
  await requestTranslations(tx, { pageId, texts: [input.title, input.summary], now });
  const update = first && (await addUpdate(tx, { pageId, incidentId: row.id, update: first, now, by }));
  if (notify) {
    const kind = `${input.type}.created` as const;
    await announce(tx, { pageId, incidentId: row.id, kind, afterAlarmId, now });
  }
  return { row, update, affected: await loadAffected(tx, row.id) };
}

type AddedUpdate = Audit & { pageId: PageId; incidentId: IncidentId; update: FirstUpdate };

/** Adds an update to an incident that was just inserted, and announces nothing. */
async function addUpdate(
  tx: Transaction,
  { pageId, incidentId, update: { status, body }, now, by }: AddedUpdate,
): Promise<{ id: UpdateId; body: string }> {
  const incident = await lockIncident(tx, pageId, incidentId);
  if (incident === undefined) throw new Error('The incident that was just inserted is gone.');
  const { id } = await insertUpdate(tx, {
    pageId,
    incident,
    input: { status, body, notify: false },
    now,
    by,
  });
  return { id, body };
}

/**
 * Records a past incident with its timeline and translations. Sends no email and calls no webhook. Returns its id.
 */
export async function recordIncident(
  { sql, clock, by }: Deps,
  { pageId, input, publishedAt, updates, texts }: RecordedIncident,
): Promise<IncidentId> {
  return inTransaction(sql, async (tx) => {
    const { row, affected } = await insertIncident(tx, { pageId, input, now: publishedAt, by });
    for (const { at: now, ...update } of updates) {
      await addUpdate(tx, { pageId, incidentId: row.id, update, now, by });
    }
    for (const text of texts) await provideTranslations(tx, { pageId, text, now: publishedAt });
    await silenceAnnouncements(tx, row.id);
    const incident = await lockIncident(tx, pageId, row.id);
    const after = { ...(incident ?? row), affected };
    const extra = { before: {}, after: { updates: updates.length } };
    const audit = { by, now: clock.now() };
    await recordIncidentChange(tx, audit, { pageId, verb: 'import', before: null, after, extra });
    return row.id;
  });
}
