import type { PageScope } from '../../../contract/scopes.js';
import { linkPaths } from '../../../contract/subscribers.js';
import { createShare, putBoard } from '../../../control/boards/index.js';
import { createIncident, monthOf, parseNewIncident } from '../../../control/incidents/index.js';
import { createMonitor } from '../../../control/monitors/index.js';
import { putSchedule, rotateFeed } from '../../../control/schedules/index.js';
import { addSubscriber } from '../../../control/subscribers/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { signToken } from '../../../lib/secrets/secret-box.js';
import { testActor } from '../../support/actor.js';
import { alertLinkPath, makeAlert } from '../../support/alert-links.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { pngPixel } from '../../support/images.js';
import { outage } from '../../support/incidents.js';
import { makeKey, makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { insertDays, insertMonitor } from '../../support/points.js';
import type { Stores } from '../../support/service.js';

/** A page with something for every route, and what requests need to ask for it. */
export type Site = {
  pageId: PageId;
  slug: string;
  host: string;
  keys: Record<'ingest' | 'read' | 'incident', string> & { manage: readonly string[] };
  logoHash: string;
  /** The month of its incident, such as `2026-11`. */
  month: string;
  incidentId: string;
  pingToken: string;
  /** The path of the calendar of its schedule. */
  calendarPath: string;
  /** The token of a link to its board, whose tile `totals` shows a figure. */
  boardToken: string;
  /** The path of the link that a person got in a message about an alert. */
  alertLink: string;
  /** Paths with their tokens. */
  links: Record<keyof typeof linkPaths, string>;
};

export type SiteDeps = Pick<Stores, 'sql' | 'clickhouse'> & { clock: Clock };

/** Makes a page of two languages, with a service, an open incident, a heartbeat, a logo and two subscribers. */
export async function makeSite(deps: SiteDeps, slug: string): Promise<Site> {
  const { sql, clickhouse, clock } = deps;
  const page = await makePage(sql, {
    ...{ slug, languages: ['en', 'de'], logo: pngPixel, databaseHealthEnabled: true, publicMetrics: true },
  });
  const pageId = page.id;
  const monitorId = await insertMonitor(sql, pageId, {
    ...{ slug: 'api', state: 'up', last_checked_at: new Date(clock.now()) },
  });
  await insertDays(clickhouse, { pageId, monitorId }, [{ at: clock.now() }]);
  const heartbeat = { slug: 'job', name: 'Job', kind: 'heartbeat', periodSeconds: 600 } as const;
  const { token = '' } = await createMonitor(
    { sql, clock, secretKey: testSecretKey, by: testActor },
    { pageId, ...heartbeat },
  );
  const startedAt = new Date(clock.now() - 600_000).toISOString();
  const { id } = await createIncident(
    { sql, clock, by: testActor },
    { pageId, input: parseNewIncident({ ...outage, startedAt }) },
  );
  const keyOf = async (scope: PageScope) => (await makeKey({ sql, clock }, { slug, scope })).key;
  return {
    ...{ pageId, slug, host: page.hostname, logoHash: page.logoHash ?? '', pingToken: token },
    incidentId: id,
    calendarPath: await makeCalendar(deps, page),
    boardToken: await makeBoard(deps, page.id),
    alertLink: await makeAlertLink(deps, page),
    month: monthOf(Date.parse(startedAt)),
    keys: {
      ...{ ingest: await keyOf('ingest'), read: await keyOf('read'), incident: await keyOf('incident') },
      manage: await Promise.all(Array.from({ length: 4 }, () => keyOf('manage'))),
    },
    links: {
      confirm: await linkOf(deps, page, 'confirm'),
      unsubscribe: await linkOf(deps, page, 'unsubscribe'),
      manage: await linkOf(deps, page, 'manage'),
    },
  };
}

export const siteSchedule = 'site';

/** The email of the person of a site who is on call by its schedule. */
export const onCallEmail = (slug: string): string => `on-call-${slug}@example.com`;

async function makeCalendar(deps: SiteDeps, { id, slug }: { id: PageId; slug: string }): Promise<string> {
  const person = await makeUser(deps, { email: onCallEmail(slug) });
  await giveRole(deps, { userId: person.id, slug, role: 'responder' });
  const ref = { pageId: id, slug: siteSchedule };
  const layer = { name: 'Weeks', people: [person.email], handoff: '2026-01-05T09:00', every: { weeks: 1 } };
  await putSchedule(
    { ...deps, by: testActor },
    { ...ref, fields: { name: 'Backend', timeZone: 'Europe/Berlin', layers: [layer] } },
  );
  return `/on-call/${await rotateFeed({ ...deps, by: testActor }, ref)}.ics`;
}

async function makeBoard({ sql, clock }: SiteDeps, pageId: PageId): Promise<string> {
  const deps = { sql, clock, by: testActor };
  const place = { x: 0, y: 0, width: 12, height: 4 };
  const totals = { ...place, ...({ display: 'number', source: { figure: { path: 'totals' } } } as const) };
  const ref = { pageId, slug: 'site' };
  await putBoard(deps, { ...ref, name: 'Site', tiles: [{ id: 'totals', title: 'Totals', ...totals }] });
  return (await createShare(deps, { ...ref, name: 'Screen', expiresAt: undefined })).token;
}

async function makeAlertLink(deps: SiteDeps, { id, slug }: { id: PageId; slug: string }): Promise<string> {
  const person = await makeUser(deps);
  await giveRole(deps, { userId: person.id, slug, role: 'responder' });
  return alertLinkPath(await makeAlert(deps, id), { type: 'person', id: person.id });
}

/** The link of a new subscriber, whose confirmation has just been sent. */
async function linkOf(
  { sql, clock }: SiteDeps,
  page: Parameters<typeof addSubscriber>[1]['page'],
  purpose: keyof typeof linkPaths,
): Promise<string> {
  const email = `${purpose}@example.com`;
  const { id } = await addSubscriber(
    { sql, clock, by: testActor },
    { page, email, language: 'de', confirmed: false },
  );
  await sql`update subscribers set confirmation_sent_at = ${new Date(clock.now())} where id = ${id}`;
  return `${linkPaths[purpose]}?token=${signToken(testSecretKey, purpose, id)}`;
}
