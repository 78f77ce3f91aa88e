import t from 'tap';
import {
  changeIncident,
  createIncident,
  loadLedger,
  parseIncidentChange,
  parseNewIncident,
} from '../../../control/incidents/index.js';
import {
  changeMonitor,
  deleteMonitor,
  pauseMonitor,
  resumeMonitor,
  watchMonitors,
} from '../../../control/monitors/index.js';
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

const manage = { ...deps, secretKey: '00'.repeat(32) };
const ways = {
  deleted: (id: MonitorId) => deleteMonitor(manage, { id }),
  paused: (id: MonitorId) => pauseMonitor(manage, { id }),
  hidden: (id: MonitorId) => changeMonitor(manage, { id }, { hidden: true }),
};

t.test('a monitor that is deleted, paused or hidden ends its incident, and tells of it', async (t) => {
  const ends = [];
  for (const [way, end] of Object.entries(ways)) {
    const { page, monitorId, ledger } = await makeWatched();
    await setState(monitorId, 'down');
    await watchMonitors(deps);
    await end(monitorId);
    await watchMonitors(deps);
    const [incident, ...others] = await ledger();
    const kinds = await sql<{ kind: string }[]>`
      select kind from announcements where page_id = ${page.id} order by seq`;
    ends.push([way, incident?.updates.map(({ status, body }) => [status, body['en']]), others.length]);
    ends.push(kinds.map(({ kind }) => kind));
  }
  const told = ['incident.created', 'incident.resolved'];
  t.strictSame(ends, [
    ...[['deleted', [['resolved', 'api is no longer watched.']], 0], told],
    ...[['paused', [['resolved', 'api is no longer watched.']], 0], told],
    ...[['hidden', [['resolved', 'The service is no longer watched.']], 0], told],
  ]);
});

t.test('a page that is paused ends the incidents of its monitors once', async (t) => {
  const { page, monitorId, ledger } = await makeWatched({ languages: ['de'] });
  await setState(monitorId, 'down');
  await watchMonitors(deps);
  await setPage(deps, { slug: page.slug, monitoringPaused: true });
  await pauseMonitor(manage, { id: monitorId });
  t.strictSame(
    (await ledger()).map(({ updates }) => updates.map(({ body }) => body['de'])),
    [['api wird nicht mehr überwacht.']],
  );
});

t.test('a monitor that is still down after a pause opens an incident with its first check', async (t) => {
  const { monitorId, ledger } = await makeWatched();
  await setState(monitorId, 'down');
  await watchMonitors(deps);
  await pauseMonitor(manage, { id: monitorId });
  const { pausedAt } = await resumeMonitor(manage, { id: monitorId });
  await watchMonitors(deps);
  t.equal(pausedAt, null);
  t.equal((await ledger()).length, 1, 'nothing is known yet');
  const [resumed] = await sql<{ at: Date }[]>`
    update monitors set last_checked_at = resumed_at where id = ${monitorId} returning resumed_at as at`;
  await watchMonitors(deps);
  const starts = (await ledger()).map(({ startedAt }) => startedAt);
  t.strictSame(starts.sort(), [since.toISOString(), resumed?.at.toISOString()]);
});

t.test('the name of a hidden monitor is in no text that monitors wrote, in any language', async (t) => {
  const named = [];
  for (const language of ['en', 'de', 'fr', 'es', 'ja']) {
    const { page, monitorId, ledger } = await makeWatched({ languages: [language] });
    const rename = (name: string) => changeMonitor(manage, { id: monitorId }, { name });
    await rename('Vault');
    for (const state of ['down', 'up', 'down'] as const) {
      await setState(monitorId, state);
      await watchMonitors(deps);
    }
    await rename('Strongroom');
    const [open] = await sql<{ id: IncidentId }[]>`
      select incident_id as id from monitors where id = ${monitorId}`;
    const summary = 'We look into it.';
    if (open === undefined) throw new Error('There is no incident.');
    const change = parseIncidentChange({ summary, notify: false });
    await changeIncident(deps, { pageId: page.id, incidentId: open.id, change });
    await ways.hidden(monitorId);
    await ways.hidden(monitorId);
    const text = JSON.stringify(await ledger());
    named.push([/vault|strongroom|api/i.test(text), text.includes(summary), (await ledger()).length]);
  }
  t.strictSame(
    named,
    Array.from({ length: 5 }, () => [false, true, 2]),
  );
});
