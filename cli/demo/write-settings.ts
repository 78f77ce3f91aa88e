import type { CreateMaintenanceSeries } from '../../contract/manage/incidents/maintenance-series.js';
import { findAlertRule, setAlertRule } from '../../control/alerts/index.js';
import { addStarters, listBoards } from '../../control/boards/index.js';
import { createSeries, listSeries } from '../../control/maintenance-series/index.js';
import { changePage, findPage } from '../../control/pages/index.js';
import { createQuery, listQueries } from '../../control/queries/index.js';
import { listTemplates, parseTemplate, putTemplate } from '../../control/templates/index.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { DemoDeps } from './extent.js';
import type { FilledPage } from './fill.js';
import { demoQueries } from './queries.js';
import { demoTemplates } from './templates.js';

/** When the people of the demo saved their first query, and each of the next ones. */
const firstQueryMs = 22 * hourMs;
const nextQueryMs = 3.7 * hourMs;
/** Far above what fails in the demo: its story has the incident that the rule would open. */
const rule = { thresholdPercent: 40, windowSeconds: 300, requestsMin: 500 };
/** A name that is reserved for examples, so that the link of a sample leads nowhere by accident. */
const traceUrl = 'https://tempo.example/trace/{traceId}';

/** Begins so late that the story has the next maintenance. */
const seriesInMs = 20 * dayMs;

/** The first Sunday of a month from a time on. Times are Unix milliseconds. */
function firstSundayFrom(time: number): number {
  const day = new Date(time);
  return day.getUTCDay() === 0 && day.getUTCDate() <= 7 ? time : firstSundayFrom(time + dayMs);
}

function seriesFrom(now: number): CreateMaintenanceSeries {
  return {
    title: 'Updates of the servers',
    summary: 'Servers restart one after the other. Requests may take longer than usual.',
    texts: {
      de: {
        title: 'Aktualisierung der Server',
        summary: 'Die Server starten nacheinander neu. Anfragen können länger dauern als sonst.',
      },
    },
    monitorSlugs: ['website', 'api'],
    startsAt: `${new Date(firstSundayFrom(now + seriesInMs)).toISOString().slice(0, 10)}T02:00`,
    durationMinutes: 120,
    rule: 'FREQ=MONTHLY;BYDAY=1SU',
    noticeDays: 7,
  };
}

/**
 * Turns database health on and gives a page an address of traces, shared queries, boards, templates, recurring maintenance
 * and an alert rule where it has none, some of them hours before now, so that its audit log of the last day has changes. Keeps
 * what is there.
 */
export async function writeSettings(deps: DemoDeps, { page }: Pick<FilledPage, 'page'>): Promise<void> {
  const now = deps.clock.now();
  const before = (ms: number): DemoDeps => ({ ...deps, clock: { now: () => now - ms } });
  const found = await findPage(deps, { id: page.id });
  if (found?.databaseHealthEnabled === false)
    await changePage(before(23 * hourMs), page.id, { databaseHealthEnabled: true });
  if (found?.traceUrl === null) await changePage(before(21 * hourMs), page.id, { traceUrl });
  const reader = { pageId: page.id, userId: null };
  if ((await listQueries(deps, { ...reader, limit: 1 })).length === 0) {
    for (const [place, query] of demoQueries.entries())
      await createQuery(before(firstQueryMs - place * nextQueryMs), { ...reader, ...query, isShared: true });
  }
  if ((await listBoards(deps, { pageId: page.id, limit: 1 })).length === 0)
    await addStarters(before(20 * hourMs), { pageId: page.id });
  if ((await listTemplates(deps, { pageId: page.id, limit: 1 })).length === 0) {
    for (const template of demoTemplates)
      await putTemplate(before(40 * dayMs), {
        ...{ pageId: page.id, slug: template.slug, fields: parseTemplate(template) },
      });
  }
  if ((await listSeries(deps, { pageId: page.id, limit: 1 })).length === 0)
    await createSeries(before(hourMs), { pageId: page.id, body: seriesFrom(now) });
  if ((await findAlertRule(deps, page.id)) === undefined)
    await setAlertRule(before(2 * hourMs), { pageId: page.id, ...rule });
}
