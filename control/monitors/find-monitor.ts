import type { Sql } from '../../sql/open-postgres.js';
import { type Monitor, type MonitorRef, noSuchMonitor, selectMonitors, whereMonitor } from './monitor.js';

/** @throws ControlError when there is no such monitor. */
export async function findMonitor({ sql }: { sql: Sql }, ref: MonitorRef): Promise<Monitor> {
  const [monitor] = await selectMonitors(sql, whereMonitor(sql, ref));
  if (monitor === undefined) throw noSuchMonitor(ref);
  return monitor;
}
