import t, { type Test } from 'tap';
import { setAlertRule } from '../../control/alerts/index.js';
import { loadPageId } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { jobs } from '../../service/jobs/jobs.js';
import { runLeased } from '../../service/jobs/lease.js';
import { testActor } from '../support/actor.js';
import { loadKinds, loadLedger, openIncident } from '../support/incidents.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { silentLog } from '../support/silent-log.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const changed = new Set<PageId>();
const deps: JobDeps = {
  ...api.stores,
  onChange: (pageId) => changed.add(pageId),
  clickhouseOf: () => api.stores.clickhouse,
  clock,
  log: silentLog,
};

async function runJobs(t: Test): Promise<void> {
  for (const job of jobs) t.ok(await runLeased(job, deps, clock.now()), job.name);
}

t.test('each job has its own name and a schedule of five fields, or six with seconds', async (t) => {
  const names = jobs.map(({ name }) => name);
  t.strictSame(names, [...new Set(names)]);
  for (const { schedule, name } of jobs) t.match(schedule, /^(\S+ ){4,5}\S+$/, name);
});

t.test('failing requests open an incident, and later successes resolve it', async (t) => {
  const pageId = await loadPageId(api.stores.sql, 'acme');
  // The second look of a minute ends nothing.
  clock.advance(minuteMs - (clock.now() % minuteMs) + 20 * secondMs);
  const rule = { pageId, thresholdPercent: 5, windowSeconds: 120, requestsMin: 10 };
  await setAlertRule({ ...deps, by: testActor }, rule);
  const events = (status: number) => Array.from({ length: 20 }, () => ({ endpoint: '/cart', status }));
  t.equal((await api.post('/api/v1/events', events(503))).status, 202);
  await api.settle();
  clock.advance(60_000);
  await runJobs(t);
  t.ok(changed.delete(pageId), 'what memory has of the page is out of date');
  const [incident] = await loadLedger(api);
  t.match(incident, { title: { en: 'Elevated error rate' }, resolvedAt: null, services: [] });
  clock.advance(180_000);
  t.equal((await api.post('/api/v1/events', events(200))).status, 202);
  await api.settle();
  clock.advance(60_000);
  await runJobs(t);
  t.ok(changed.delete(pageId));
  t.strictSame(await loadKinds(api, incident?.id ?? ''), ['incident.created', 'incident.resolved']);
});

t.test('scheduled maintenance begins and ends', async (t) => {
  const at = (minutes: number) => new Date(clock.now() + minutes * 60_000).toISOString();
  const times = { startedAt: at(5), scheduledEndAt: at(15) };
  const { id } = await openIncident(api, api.incidentKey, { type: 'maintenance', ...times });
  for (const minutes of [6, 10]) {
    clock.advance(minutes * 60_000);
    await runJobs(t);
    t.ok(changed.delete(api.pageId), 'each move is a change of the page');
  }
  t.strictSame(await loadKinds(api, id), [
    'maintenance.created',
    'maintenance.updated',
    'maintenance.resolved',
  ]);
});
