import t from 'tap';
import type { ReadableView } from '../../../contract/sql-tables.js';
import { hourMs } from '../../../lib/times.js';
import { copiedAt, copyAll, insertCopied } from '../../support/copies.js';
import { makePage } from '../../support/pages.js';
import { select } from '../../support/rollups.js';
import { openStores } from '../../support/stores.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;
const { id: pageId } = await makePage(sql);
const ids = await insertCopied(sql, pageId);
await copyAll(stores);

const rowsOf = (view: ReadableView, order = 'page_id') =>
  select(
    clickhouse,
    `SELECT * EXCEPT (page_id) FROM sql_${view} WHERE page_id = '${pageId}' ORDER BY ${order}`,
  );

t.test('a monitor has its columns, without its address', async (t) => {
  t.strictSame(await rowsOf('monitors'), [
    {
      ...{ monitor_id: ids.monitorId, slug: 'api', name: 'api', description: 'The API', kind: 'http' },
      ...{ state: 'up', state_since: copiedAt, degraded_since: null, paused_at: null },
      ...{ every_seconds: 60, timeout_ms: 10_000, failures_to_down: 2, degraded_over_ms: 900 },
      ...{ depends_on: ['db'], hidden: 0, certificate_ends_at: copiedAt, created_at: copiedAt },
    },
  ]);
});

t.test('incidents, maintenance and their updates have their columns', async (t) => {
  const affected = { monitors: ['api'], monitor_ids: [ids.monitorId] };
  t.strictSame(await rowsOf('incidents'), [
    {
      ...{ incident_id: ids.incidentId, title: 'Outage', summary: 'Of "all".', impact: 'major' },
      ...{ ...affected, monitor_states: { api: 'degraded' }, started_at: copiedAt, resolved_at: copiedAt },
      ...{ published_at: copiedAt, author_type: 'user' },
    },
  ]);
  t.strictSame(await rowsOf('maintenance'), [
    {
      ...{ maintenance_id: ids.maintenanceId, title: 'Updates', summary: 'Read-only.', state: 'scheduled' },
      ...{ ...affected, monitor_states: {}, starts_at: copiedAt, scheduled_end_at: null, completed_at: null },
      ...{ published_at: copiedAt, author_type: 'user' },
    },
  ]);
  t.strictSame(await rowsOf('incident_updates'), [
    {
      ...{ update_id: ids.updateId, incident_id: ids.incidentId, status: 'monitoring', body: 'We watch.' },
      ...{ created_at: copiedAt, corrected_at: null, author_type: 'key' },
    },
  ]);
});

t.test('a deployment and an alert have their columns', async (t) => {
  t.strictSame(await rowsOf('deployments'), [
    {
      ...{ deployment_id: ids.deploymentId, service: 'cart', version: '9', environment: '', at: copiedAt },
      ...{ announced_at: copiedAt, first_seen_at: null },
    },
  ]);
  t.strictSame(await rowsOf('alerts'), [
    {
      ...{ alert_id: ids.alertId, rule: 'checkout', rule_name: 'Checkout fails', kind: 'failure-rate' },
      ...{ group_key: 'cart', group_name: 'Cart', service: 'cart', endpoint: '', severity: 'page' },
      ...{ title: 'Checkout fails', value: 12.5, threshold: 5, started_at: copiedAt, resolved_at: copiedAt },
      ...{ ended_by: 'rule', acknowledged_at: null, held_by: '', incident_id: null },
    },
  ]);
});

t.test('services and reporters have their columns', async (t) => {
  const times = { first_seen_at: copiedAt, stopped_at: null, forgotten_at: null };
  t.strictSame(await rowsOf('reporters', 'kind'), [
    {
      ...{ kind: 'service', service: 'cart', name: '', region: '', team: '', instance_of: '' },
      ...{ expected_every_seconds: null, ...times },
    },
    {
      ...{ kind: 'reporter', service: 'eu:1', name: 'Frankfurt', region: 'eu', team: '' },
      ...{ instance_of: 'cart', expected_every_seconds: 60, ...times },
    },
  ]);
});

t.test('nothing secret is copied', async (t) => {
  const rows = await select<{ data: string }>(
    clickhouse,
    `SELECT data FROM copies WHERE page_id = '${pageId}'`,
  );
  t.ok(rows.length > 7);
  for (const { data } of rows) t.notMatch(data, /https?:|token|secret|@/);
});

t.test('checks and points have their newest rows, and a point without figures has none', async (t) => {
  const hour = Math.floor(Date.now() / hourMs) * hourMs;
  const key = { page_id: pageId, monitor_id: ids.monitorId };
  const sums = { degraded_ms: 0, checks: 4, failed: 1, measured: 2, sum_ms: 50 };
  const empty = { ...sums, observed_ms: 0, up_ms: 0, checks: 0, failed: 0, measured: 0, sum_ms: 0 };
  const values = [
    { ...key, ...sums, hour: hour / 1_000, observed_ms: 1_000, up_ms: 0, version: 1 },
    { ...key, ...sums, hour: hour / 1_000, observed_ms: 1_000, up_ms: 750, version: 2 },
    { ...key, ...empty, hour: hour / 1_000 + 3_600, version: 1 },
  ];
  await clickhouse.insert({ table: 'monitor_hours', values, format: 'JSONEachRow' });
  t.match(await rowsOf('points', 'hour'), [
    { monitor_id: ids.monitorId, uptime: 0.75, response_ms: 25 },
    { monitor_id: ids.monitorId, uptime: null, response_ms: null },
  ]);
  t.match(await rowsOf('monitor_hours', 'hour'), [{ up_ms: 750, checks: 4 }, { up_ms: 0 }]);
  const check = { ...key, at: textOf(hour), interval_seconds: 60, ok: 1, up: 1, error: '', status: 200 };
  for (const total_ms of [1, 2]) {
    const values = [{ ...check, total_ms, inserted_at: textOf(hour + total_ms) }];
    await clickhouse.insert({ table: 'checks', values, format: 'JSONEachRow' });
  }
  t.match(await rowsOf('checks'), [{ monitor_id: ids.monitorId, status: 200, total_ms: 2 }]);
});

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 23).replace('T', ' ');
}
