import type { Clock } from '../../lib/clock.js';
import type { AlertId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { type Alert, type AlertRef, listTogether, loadAlert } from './alert.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Notes that somebody looks after an alert: nobody else is called, and nobody is reminded, until it is over or gets worse.
 * A second time changes the note.
 *
 * @throws ServiceError `notFound`, `conflict` when the alert is over.
 */
export async function acknowledgeAlert(
  deps: Deps,
  { note = null, ...ref }: AlertRef & { note?: string | null },
): Promise<Alert> {
  return changeAlert(deps, ref, 'acknowledge', async (tx, now) => {
    await tx`
      update alerts set acknowledged_at = coalesce(acknowledged_at, ${new Date(now)}),
        acknowledged_name = ${deps.by.name}, note = coalesce(${note}, note)
      where page_id = ${ref.pageId} and id = ${ref.id}`;
  });
}

/**
 * Takes an acknowledgement back: reminders and escalation go on, within a minute. One that is not acknowledged stays as it is.
 *
 * @throws ServiceError `notFound`, `conflict` when the alert is over.
 */
export async function unacknowledgeAlert(deps: Deps, ref: AlertRef): Promise<Alert> {
  return changeAlert(deps, ref, 'unacknowledge', async (tx) => {
    await tx`
      update alerts set acknowledged_at = null, acknowledged_by = null, acknowledged_name = null
      where page_id = ${ref.pageId} and id = ${ref.id}`;
  });
}

/**
 * Ends an alert by hand. The rule begins another one only after its condition did not hold for once.
 *
 * @throws ServiceError `notFound`, `conflict` when the alert is over.
 */
export async function resolveAlert(
  deps: Deps,
  { note = null, ...ref }: AlertRef & { note?: string | null },
): Promise<Alert> {
  return changeAlert(deps, ref, 'resolve', async (tx, now) => {
    await tx`
      update alerts set resolved_at = ${new Date(now)}, ended_by = 'person', note = coalesce(${note}, note)
      where page_id = ${ref.pageId} and id = ${ref.id}`;
  });
}

/**
 * Answers all alerts of a message that are not over, as acknowledgeAlert() and resolveAlert() do. Repeated, it changes
 * nothing but the note; when all are over, nothing. The log has one entry for all of them, with their number.
 */
export async function answerTogether(
  { sql, clock, by }: Deps,
  verb: 'acknowledge' | 'resolve',
  { pageId, id, note }: { pageId: PageId; id: AlertId; note: string | null },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    // Locked before anything is read, so that the entry has what the answer before this one left, and a later time.
    await tx`
      select 1 from alerts where page_id = ${pageId} and (id = ${id} or told_batch = ${id}) order by id for update`;
    const now = clock.now();
    const at = new Date(now);
    const [first] = (await listTogether({ sql: tx }, { pageId, id })).alerts;
    const open = await tx<{ id: AlertId; isNews: boolean }[]>`
      select id, ${verb} = 'resolve' or acknowledged_at is null or ${note}::text is not null and note is distinct from ${note}
        as "isNews"
      from alerts where page_id = ${pageId} and (id = ${id} or told_batch = ${id}) and resolved_at is null
      order by id`;
    const ids = open.filter(({ isNews }) => isNews).map((one) => one.id);
    if (first === undefined || ids.length === 0) return;
    await tx`
      update alerts set note = coalesce(${note}, note),
        acknowledged_name = case when ${verb} = 'resolve' then acknowledged_name else ${by.name} end,
        acknowledged_at = case when ${verb} = 'resolve' then acknowledged_at else coalesce(acknowledged_at, ${at}) end,
        resolved_at = case when ${verb} = 'resolve' then ${at}::timestamptz end,
        ended_by = case when ${verb} = 'resolve' then 'person' end
      where id = any (${ids}::uuid[])`;
    const target = { type: 'alert', id, name: first.title };
    const after = await loadAlert({ sql: tx }, { pageId, id });
    const fields = { ...fieldsOf(after), ...(open.length > 1 && { alerts: ids.length }) };
    const before = open.length > 1 ? { ...fieldsOf(first), alerts: null } : fieldsOf(first);
    await recordChange(tx, { by, now }, { pageId, action: `alert.${verb}`, target, before, after: fields });
  });
}

async function changeAlert(
  { sql, clock, by }: Deps,
  ref: AlertRef,
  verb: 'acknowledge' | 'unacknowledge' | 'resolve',
  change: (tx: Transaction, now: number) => Promise<void>,
): Promise<Alert> {
  return inTransaction(sql, async (tx) => {
    const { id } = await loadAlert({ sql: tx }, ref);
    await tx`select 1 from alerts where id = ${id} for update`;
    const before = await loadAlert({ sql: tx }, ref);
    if (before.resolvedAt !== null) throw new ServiceError('conflict', { message: 'The alert is over.' });
    const now = clock.now();
    await change(tx, now);
    const after = await loadAlert({ sql: tx }, ref);
    await recordChange(
      tx,
      { by, now },
      {
        pageId: ref.pageId,
        action: `alert.${verb}`,
        target: { type: 'alert', id, name: before.title },
        before: fieldsOf(before),
        after: fieldsOf(after),
      },
    );
    return after;
  });
}

function fieldsOf({ state, acknowledgedName: acknowledgedBy, note }: Alert) {
  return { state, acknowledgedBy, note };
}
