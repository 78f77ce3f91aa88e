import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { type Alert, type AlertRef, loadAlert } from './alert.js';

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

async function changeAlert(
  { sql, clock, by }: Deps,
  ref: AlertRef,
  verb: 'acknowledge' | 'resolve',
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
