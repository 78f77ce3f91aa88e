import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { lockMonitor, type Monitor, type MonitorRef } from './monitor.js';

/**
 * Deletes a monitor, its pauses, and its place in incidents; answers what it was. Its checks stay in ClickHouse
 * until their time is over, and show nowhere.
 *
 * @throws ControlError when there is no such monitor.
 */
export async function deleteMonitor({ sql }: { sql: Sql }, ref: MonitorRef): Promise<Monitor> {
  return inTransaction(sql, async (tx) => {
    const { monitor } = await lockMonitor(tx, ref);
    await tx`delete from monitors where id = ${monitor.id}`;
    return monitor;
  });
}
