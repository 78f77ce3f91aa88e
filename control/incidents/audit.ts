import { createHash } from 'node:crypto';
import type { UpdateStatus } from '../../contract/incidents.js';
import type { IncidentId, PageId, UpdateId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import { type Affected, statesOf } from './affected-services.js';
import type { IncidentRow } from './incident-row.js';

/** Who makes a change, and when, in milliseconds since the epoch. */
export type Audit = { by: Actor; now: number };

/** An incident as its audit rows show it. */
export type AuditedIncident = Omit<IncidentRow, 'announced_state' | 'revision'> & {
  affected: readonly Affected[];
};

type IncidentVerb = 'create' | 'import' | 'update' | 'resolve' | 'reopen' | 'delete';

/** Writes the audit row of a change of an incident. */
export async function recordIncidentChange(
  tx: Transaction,
  { by, now }: Audit,
  change: {
    pageId: PageId;
    verb: IncidentVerb;
    before: AuditedIncident | null;
    after: AuditedIncident | null;
    /** Further fields of the row. */
    extra?: { before: AuditedFields; after: AuditedFields };
  },
): Promise<void> {
  const { pageId, verb, before, after, extra } = change;
  const shown = after ?? before;
  if (shown === null) throw new Error('A change has at least one side.');
  await recordChange(
    tx,
    { by, now },
    {
      pageId,
      action: `incident.${verb}`,
      target: { type: 'incident', id: shown.id, name: shown.title },
      before: before && { ...fieldsOf(before), ...extra?.before },
      after: after && { ...fieldsOf(after), ...extra?.after },
    },
  );
}

function fieldsOf(incident: AuditedIncident): AuditedFields {
  return {
    type: incident.type,
    title: incident.title,
    summary: boundText(incident.summary),
    monitorSlugs: incident.affected.map(({ slug }) => slug),
    ...{ impact: incident.impact, serviceStates: statesOf(incident.affected) ?? {} },
    startedAt: incident.started_at,
    resolvedAt: incident.resolved_at,
    scheduledEndAt: incident.scheduled_end_at,
  };
}

type AuditedUpdate = { status: UpdateStatus; body: string };

/** Writes the audit row of a change of an update in the timeline of an incident. */
export async function recordUpdateChange(
  tx: Transaction,
  { by, now }: Audit,
  change: {
    pageId: PageId;
    verb: 'create' | 'update' | 'delete';
    incident: { id: IncidentId; title: string };
    updateId: UpdateId;
    before: AuditedUpdate | null;
    after: AuditedUpdate | null;
  },
): Promise<void> {
  const { pageId, verb, incident, updateId, before, after } = change;
  const fields = ({ status, body }: AuditedUpdate) => ({
    ...{ incidentId: incident.id, status },
    body: boundText(body),
  });
  await recordChange(
    tx,
    { by, now },
    {
      pageId,
      action: `incident-update.${verb}`,
      target: { type: 'incident-update', id: updateId, name: incident.title },
      before: before && fields(before),
      after: after && fields(after),
    },
  );
}

const auditedChars = 2_000;

/**
 * Returns a text as the audit log keeps it: cut after 2,000 characters, with the length of the rest and the SHA-256 of the
 * whole, so that texts that differ behind that place differ in the log.
 */
export function boundText(text: string): string {
  if (text.length <= auditedChars) return text;
  const sha256 = createHash('sha256').update(text).digest('hex');
  const start = text.slice(0, auditedChars).toWellFormed();
  return `${start}… (${text.length - auditedChars} more characters; SHA-256 of the whole: ${sha256})`;
}
