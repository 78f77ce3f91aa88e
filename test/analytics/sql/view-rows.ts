import { randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';

const kinds = ['monitor', 'incident', 'maintenance', 'incident_update', 'deployment', 'alert', 'reporter'];

/** Inserts a row that each view of the page shows. `secret` is in it, where a text can be. */
export async function insertViewRows(
  clickhouse: ClickHouseClient,
  pageId: string,
  secret: string,
): Promise<void> {
  const monitor = { page_id: pageId, monitor_id: randomUUID() };
  const at = Math.floor(Date.now() / 3_600_000) * 3_600 - 3_600;
  const points = {
    observed_ms: 3_600_000,
    up_ms: 1_800_000,
    checks: 60,
    failed: 30,
    measured: 30,
    sum_ms: 300,
  };
  const insert = (table: string, values: object[]) =>
    clickhouse.insert({ table, values, format: 'JSONEachRow' });
  const checkedAt = new Date(at * 1_000).toISOString().slice(0, 23).replace('T', ' ');
  await insert('checks', [{ ...monitor, at: checkedAt, interval_seconds: 60, ok: 0, up: 0, error: secret }]);
  await insert('monitor_hours', [{ ...monitor, ...points, hour: at, version: 1 }]);
  await insert('monitor_days', [
    { ...monitor, ...points, day: new Date(at * 1_000).toISOString().slice(0, 10), version: 1 },
  ]);
  const times = { at: at * 1_000, started_at: at * 1_000, created_at: at * 1_000 };
  const texts = {
    name: secret,
    slug: secret,
    title: secret,
    body: secret,
    rule_slug: secret,
    source: secret,
  };
  const data = { ...times, ...texts, service: secret, version: secret };
  await insert(
    'copies',
    kinds.map((kind) => ({
      ...{ page_id: pageId, kind, version: 1, deleted: 0 },
      id: kind === 'monitor' ? monitor.monitor_id : randomUUID(),
      data: JSON.stringify({ ...data, kind: kind === 'reporter' ? 'service' : secret }),
    })),
  );
}
