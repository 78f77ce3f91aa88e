import t from 'tap';
import {
  changeIncident,
  createIncident,
  loadLedger,
  parseIncidentChange,
  parseNewIncident,
} from '../../../control/incidents/index.js';
import { watchMonitors } from '../../../control/monitors/index.js';
import { systemClock } from '../../../lib/clock.js';
import type { IncidentId, MonitorId } from '../../../lib/ids.js';
import { parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, log: silentLog, by: testActor };
const since = new Date('2026-11-20T10:00:00.000Z');
let pages = 0;

async function makeWatched({ wanted = true, languages = ['en'] } = {}) {
  pages += 1;
  const page = await makePage(sql, { slug: `page-${pages}`, languages });
  if (wanted) await setPage(deps, { slug: page.slug, incidentsFromMonitors: true });
  const monitorId = await insertMonitor(sql, { pageId: page.id, slug: 'api' });
  return { page, monitorId, ledger: () => loadLedger(deps, page.id) };
}

async function setState(id: MonitorId, state: 'up' | 'down'): Promise<void> {
  await sql`update monitors set state = ${state}, state_since = ${since} where id = ${id}`;
}

t.test('a monitor that is down opens one incident, which is resolved when the monitor is up', async (t) => {
  const { page, monitorId, ledger } = await makeWatched();
  await setState(monitorId, 'up');
  await watchMonitors(deps);
  t.strictSame(await ledger(), []);
  await setState(monitorId, 'down');
  await Promise.all([watchMonitors(deps), watchMonitors(deps)]);
  await watchMonitors(deps);
  t.match(await ledger(), [
    { title: { en: 'api is down' }, services: ['api'], startedAt: since.toISOString(), resolvedAt: null },
  ]);
  t.equal((await ledger()).length, 1);
  await setState(monitorId, 'up');
  await watchMonitors(deps);
  await watchMonitors(deps);
  t.match(await ledger(), [
    { resolvedAt: /^20/, updates: [{ status: 'resolved', body: { en: 'api is up again.' } }] },
  ]);
  const kinds = await sql<
    { kind: string }[]
  >`select kind from announcements where page_id = ${page.id} order by seq`;
  t.strictSame(
    kinds.map(({ kind }) => kind),
    ['incident.created', 'incident.resolved'],
  );
  await setState(monitorId, 'down');
  await watchMonitors(deps);
  t.equal((await ledger()).length, 2, 'the next outage has an incident of its own');
});

t.test('the texts are in the default language of the page, and translated from it', async (t) => {
  for (const [language, title, resolved] of [
    ['de', 'api ist ausgefallen', 'api funktioniert wieder.'],
    ['de-AT', 'api ist ausgefallen', 'api funktioniert wieder.'],
    ['fr', 'api est en panne', 'api fonctionne à nouveau.'],
    ['es', 'api no funciona', 'api vuelve a funcionar.'],
    ['ja', 'api が停止しています', 'api は復旧しました。'],
    ['ko', 'api is down', 'api is up again.'],
  ] as const) {
    const { page, monitorId, ledger } = await makeWatched({ languages: [language, 'it'] });
    await setState(monitorId, 'down');
    await watchMonitors(deps);
    await setState(monitorId, 'up');
    await watchMonitors(deps);
    const body = { [language]: resolved };
    t.match(await ledger(), [{ title: { [language]: title }, updates: [{ body }] }], language);
    const asked = await sql<{ text: string }[]>`
      select s.text from translations t join translation_sources s on (s.page_id, s.hash) = (t.page_id, t.source_hash)
      where t.page_id = ${page.id} and source_language = ${language} and language = 'it'`;
    const texts = asked.map(({ text }) => text);
    t.ok(texts.includes(title) && texts.includes(resolved), texts.join());
  }
});

t.test('an incident that somebody resolved is not opened again in the same outage', async (t) => {
  const { page, monitorId, ledger } = await makeWatched();
  await setState(monitorId, 'down');
  await watchMonitors(deps);
  const incidentId = parseId<IncidentId>((await ledger())[0]?.id ?? '');
  if (incidentId === undefined) throw new Error('There is no incident.');
  const change = parseIncidentChange({ resolvedAt: '2026-11-20T11:00:00Z' });
  await changeIncident(deps, { pageId: page.id, incidentId, change });
  await watchMonitors(deps);
  await setState(monitorId, 'up');
  await watchMonitors(deps);
  t.match(await ledger(), [{ resolvedAt: '2026-11-20T11:00:00.000Z', updates: [] }]);
  t.equal((await ledger()).length, 1);
});

t.test('no incident is opened by default, without the capability, or during maintenance', async (t) => {
  const off = await makeWatched({ wanted: false });
  const denied = await makeWatched();
  await setPage(deps, { slug: denied.page.slug, capabilities: { 'incident-writes': false } });
  const maintained = await makeWatched();
  const input = parseNewIncident({
    ...{ type: 'maintenance', title: 'Switches', summary: 'Short interruptions.' },
    ...{ monitorSlugs: ['api'], startedAt: since.toISOString() },
  });
  await createIncident(deps, { pageId: maintained.page.id, input });
  for (const { monitorId } of [off, denied, maintained]) await setState(monitorId, 'down');
  await watchMonitors(deps);
  t.strictSame(await off.ledger(), []);
  t.strictSame(await denied.ledger(), []);
  t.equal((await maintained.ledger()).length, 1, 'there is only the maintenance');
});

t.test('a page that turns incidents off during an outage still has its incident resolved', async (t) => {
  const { page, monitorId, ledger } = await makeWatched();
  await setState(monitorId, 'down');
  await watchMonitors(deps);
  await setPage(deps, { slug: page.slug, incidentsFromMonitors: false });
  await setState(monitorId, 'up');
  await watchMonitors(deps);
  t.match(await ledger(), [{ resolvedAt: /^20/ }]);
});
