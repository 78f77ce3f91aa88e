import { Statuspage } from 'statuspage.io';
import { Statuspage as OtherStatuspage } from 'statuspage.js';
import t from 'tap';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { insertMonitor } from '../../support/points.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql } = api.stores;

t.test('two clients from npm read it as they read Statuspage', async (t) => {
  const page = await makePage(sql, { slug: 'public', name: 'Public', hostname: 'localhost' });
  const at = new Date(clock.now());
  const monitor = { slug: 'web', name: 'Web', state: 'down', state_since: at, last_checked_at: at } as const;
  await insertMonitor(sql, page.id, monitor);
  const url = `http://localhost:${new URL(api.url).port}`;
  const one = new Statuspage('any');
  one.setApiUrl(url);
  const { components, status } = await one.api.getSummary();
  t.match(components, [{ name: 'Web', status: 'major_outage', group: false, position: 1 }]);
  t.match(status, { indicator: 'critical', description: 'Major Service Outage' });
  t.match(await one.api.getStatus(), { page: { name: 'Public' }, status: { indicator: 'critical' } });
  t.match(await one.api.getComponents(), { components: [{ name: 'Web' }] });
  t.match(await one.api.incidents.getAll(), { incidents: [] });
  t.match(await one.api.incidents.getUnresolved(), { incidents: [] });
  for (const list of ['getAll', 'getActive', 'getUpcoming'] as const) {
    t.match(await one.api.scheduledMaintenances[list](), { scheduled_maintenances: [] }, list);
  }
  const other = new OtherStatuspage('any');
  // It knows only pages of Statuspage itself, so the test tells its HTTP client where ours is.
  const client: unknown = Reflect.get(other, 'axios');
  Object.assign(Reflect.get(Object(client), 'defaults'), { baseURL: `${url}/api/v2` });
  const summary = await other.summary();
  t.match(summary, { page: { updated_at: Date }, components: [{ name: 'Web', created_at: Date }] });
  t.match(await other.status(), { status: { indicator: 'critical' } });
  t.match(await other.components(), { components: [{ status: 'major_outage' }] });
  t.match(await other.allIncidents(), { incidents: [] });
  t.match(await other.unresolvedIncidents(), { incidents: [] });
  t.match(await other.allScheduledMaintenances(), { scheduled_maintenances: [] });
  t.match(await other.activeScheduledMaintenances(), { scheduled_maintenances: [] });
  t.match(await other.upcomingScheduledMaintenances(), { scheduled_maintenances: [] });
});
