import t from 'tap';
import type { MonitorsOverview } from '../../../contract/manage/overview.js';
import { systemClock } from '../../../lib/clock.js';
import { hourMs } from '../../../lib/times.js';
import { openManageClient } from '../../support/manage-client.js';
import { makeKey } from '../../support/pages.js';
import { insertHours, insertMonitor } from '../../support/points.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const { pageId, otherPageId } = service;
const client = await openManageClient(t, service);

t.test('every monitor of the page, in its order, with its last day by the hour', async (t) => {
  const api = await insertMonitor(sql, pageId, { slug: 'api', position: 1, state: 'up' });
  await insertMonitor(sql, pageId, { slug: 'backup', position: 2, kind: 'heartbeat' });
  await insertMonitor(sql, pageId, { slug: 'old', position: 3, paused_at: new Date() });
  await insertMonitor(sql, otherPageId, { slug: 'theirs' });
  const now = Date.now();
  await insertHours(clickhouse, { pageId, monitorId: api }, [
    { at: now - 30 * hourMs, upMs: 0, times: [9_000] },
    { at: now - 3 * hourMs, upMs: hourMs / 2, times: [100, 200] },
    { at: now - hourMs, times: [30] },
  ]);
  const { status, body, headers } = await client.send('GET', '/acme/overview/monitors');
  t.equal(status, 200);
  const { monitors, unfinishedFrom } = body as MonitorsOverview;
  t.equal(unfinishedFrom, new Date(Math.floor(now / hourMs) * hourMs).toISOString());
  t.strictSame(
    monitors.map(({ slug, type, paused, state }) => [slug, type, paused, state]),
    [
      ['api', 'http', false, 'up'],
      ['backup', 'heartbeat', false, null],
      ['old', 'http', true, null],
    ],
  );
  const [first, second] = monitors;
  t.match(first, { uptime24h: 75, responseMs: 110, lastError: null });
  const none = (length: number) => Array.from({ length }, () => null);
  t.strictSame(first?.bars, [...none(20), 50, null, 100, null]);
  t.strictSame(first?.responses, [...none(20), 150, null, 30, null]);
  t.strictSame([second?.uptime24h, second?.url, second?.bars], [null, null, none(24)]);
  const known = { 'if-none-match': headers.get('etag') ?? '' };
  t.equal((await client.send('GET', '/acme/overview/monitors', undefined, { headers: known })).status, 304);
});

t.test('404 for the key of another page', async (t) => {
  const { other } = client.keys;
  t.equal((await client.send('GET', '/acme/overview/monitors', undefined, { key: other })).status, 404);
  const deps = { sql, clock: systemClock };
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage', access: 'read' });
  t.equal((await client.send('GET', '/acme/overview/monitors', undefined, { key })).status, 200);
});
