import t from 'tap';
import { viewLimits } from '../../../contract/public/status-page.js';
import { createIncident, loadDayIncidents, parseNewIncident } from '../../../control/incidents/index.js';
import type { PageId } from '../../../lib/ids.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { makeMonitors } from '../../support/incidents.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const now = Date.parse('2026-11-21T12:00:00.000Z');
const clock = { now: () => now };
const ago = (ms: number): string => new Date(now - ms).toISOString();

async function openPage(slug: string): Promise<PageId> {
  const { id } = await makePage(sql, { slug });
  await makeMonitors(sql, id, ['api', 'shop']);
  return id;
}

const record = (pageId: PageId, title: string, fields: object) =>
  createIncident(
    { sql, clock, by: testActor },
    { pageId, input: parseNewIncident({ title, summary: 'x', monitorSlugs: ['shop', 'api'], ...fields }) },
  );

t.test('what took some of the days and names a service', async (t) => {
  const page = await openPage('acme');
  await record(await openPage('other'), 'of another page', { startedAt: ago(hourMs) });
  const work = { type: 'maintenance', scheduledEndAt: ago(-2 * hourMs) };
  await record(page, 'open', { startedAt: ago(hourMs) });
  await record(page, 'work', { ...work, startedAt: ago(2 * hourMs) });
  await record(page, 'planned', { ...work, startedAt: ago(-hourMs) });
  await record(page, 'called off', { ...work, startedAt: ago(hourMs), resolvedAt: ago(hourMs) });
  await record(page, 'of no service', { startedAt: ago(hourMs), monitorSlugs: [] });
  const firstDay = 6 * dayMs + 12 * hourMs;
  await record(page, 'long', { startedAt: ago(20 * dayMs), resolvedAt: ago(firstDay) });
  await record(page, 'before', { startedAt: ago(20 * dayMs), resolvedAt: ago(firstDay + 1) });
  const found = await loadDayIncidents({ sql, clock }, page, 7);
  t.strictSame(
    found.map(({ title, services, startedAt, endedAt }) => ({ title, services, startedAt, endedAt })),
    [
      { title: { en: 'open' }, services: ['shop', 'api'], startedAt: ago(hourMs), endedAt: null },
      {
        ...{ title: { en: 'work' }, services: ['shop', 'api'] },
        ...{ startedAt: ago(2 * hourMs), endedAt: ago(-2 * hourMs) },
      },
      {
        ...{ title: { en: 'long' }, services: ['shop', 'api'] },
        ...{ startedAt: ago(20 * dayMs), endedAt: ago(firstDay) },
      },
    ],
  );
});

t.test('the newest when there are too many', async (t) => {
  const page = await openPage('busy');
  for (let i = 0; i <= viewLimits.incidentsOfDays; i += 1) {
    await record(page, `number ${i}`, { startedAt: ago(i * hourMs), resolvedAt: ago(i * hourMs) });
  }
  const found = await loadDayIncidents({ sql, clock }, page, 90);
  t.equal(found.length, viewLimits.incidentsOfDays);
  t.strictSame(found[0]?.title, { en: 'number 0' });
});
