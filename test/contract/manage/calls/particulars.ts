import { randomUUID } from 'node:crypto';
import { exampleOfBody } from '../../../../api/openapi/describe-api.js';
import { requestExamples } from '../../../../api/openapi/request-examples.js';
import { createPasswords } from '../../../../control/people/index.js';
import { systemClock } from '../../../../lib/clock.js';
import { hashSecret } from '../../../../lib/secrets/secrets.js';
import { dayMs } from '../../../../lib/times.js';
import { onCallEmail, siteSchedule } from '../../../faults/routes/site.js';
import { pngPixel } from '../../../support/images.js';
import { makePage } from '../../../support/pages.js';
import { giveRole, makeUser, signIn } from '../../../support/people.js';
import type { Params, StoreSettings, World } from './world.js';

type About = { slug: string; mark: string; params: Params; store: StoreSettings };

const P = '/api/v1/pages/:page';
/** The password of accounts whose owners change it. */
export const ownPassword = 'violet harbour tin lamp';
const hashed = createPasswords({ parameters: { N: 16, r: 1, p: 1 } }).hash(ownPassword, '127.0.0.1');
const emailOf = (mark: string) => `${mark}@example.com`;

/** Bodies of requests where the example of the description does not do, because something must be unique or true. */
export const bodies: Readonly<Record<string, (about: About) => unknown>> = {
  'POST /api/v1/pages': ({ mark }) => ({ slug: mark, hostname: `${mark}.localhost` }),
  [`DELETE ${P}`]: ({ params, slug }) => ({ confirm: params['page'] ?? slug }),
  [`PUT ${P}/event-store`]: ({ store }) => store,
  [`PUT ${P}/figure-export`]: ({ mark }) => exportTo(mark),
  'POST /api/v1/me/password': ({ mark }) => ({ currentPassword: ownPassword, password: `new ${mark}` }),
  'POST /api/v1/me/totp': () => ({ password: ownPassword }),
  // Nobody can know the code.
  'POST /api/v1/me/contact-ways/:id/confirm': () => ({}),
  'DELETE /api/v1/me/totp': ({ params }) => ({ password: ownPassword, code: params['code'] ?? 'none' }),
  [`PUT ${P}/logo`]: () => pngPixel,
  [`POST ${P}/monitors`]: ({ mark }) => ({
    slug: mark,
    type: 'http',
    name: 'Shop',
    url: 'http://127.0.0.1:1/',
  }),
  [`PUT ${P}/monitors/:slug`]: ({ mark }) => ({
    ...{ type: 'http', name: 'Shop', url: 'http://127.0.0.1:1/' },
    headers: [{ name: 'Authorization', value: `Bearer monitor ${mark}` }],
  }),
  [`POST ${P}/monitors/trial`]: () => ({ type: 'http', url: 'http://127.0.0.1:1/' }),
  // A name for which nobody is asked.
  [`POST ${P}/hostname/check`]: () => ({ hostname: 'nobody.localhost' }),
  // Open incidents have a limit.
  [`POST ${P}/incidents`]: () => ({
    ...{ title: 'Outage', summary: 'Connections time out.' },
    startedAt: new Date(Date.now() - 60_000).toISOString(),
    resolvedAt: new Date(Date.now() - 30_000).toISOString(),
  }),
  [`POST ${P}/subscribers`]: ({ mark }) => ({ email: emailOf(mark) }),
  [`POST ${P}/subscribers/import`]: ({ mark }) => `email,confirmed\n${emailOf(mark)},true\n`,
  [`POST ${P}/reporters/forget`]: ({ params }) => ({ kind: 'reporter', id: params['reporter'] ?? 'none' }),
  [`POST ${P}/connections`]: ({ mark }) => ({ engine: 'postgresql', name: mark.slice(0, 8) }),
  [`PATCH ${P}/incidents/:id/updates/:updateId`]: ({ mark }) => ({ body: mark }),
  [`PATCH ${P}/webhooks/:id`]: ({ mark }) => ({ url: `https://example.com/${mark}` }),
  [`PUT ${P}/channels/:id`]: () => ({ kind: 'webhook', settings: { url: 'https://example.com/team' } }),
  [`PUT ${P}/schedules/:slug`]: ({ slug }) => ({
    ...{ name: 'Backend', timeZone: 'Europe/Berlin' },
    layers: [
      {
        ...{ name: 'Weeks', people: [onCallEmail(slug)] },
        ...{ handoff: '2026-01-05T09:00', every: { weeks: 1 } },
      },
    ],
  }),
  [`POST ${P}/schedules/preview`]: () => ({ timeZone: 'Europe/Berlin', layers: [] }),
  [`POST ${P}/schedules/:slug/overrides`]: ({ slug }) => ({
    person: onCallEmail(slug),
    from: new Date(Date.now() + 30 * dayMs).toISOString(),
    to: new Date(Date.now() + 31 * dayMs).toISOString(),
  }),
  [`PUT ${P}/policies/:slug`]: ({ slug }) => ({
    ...{ name: 'Backend', steps: [{ notify: [{ person: onCallEmail(slug) }], waitMinutes: 10 }] },
  }),
  [`PATCH ${P}/people/:userId`]: () => ({ role: 'editor' }),
  [`POST ${P}/invitations`]: ({ mark }) => ({ email: emailOf(mark), role: 'viewer' }),
  [`POST ${P}/queries`]: ({ mark }) => ({ name: mark, sql: 'SELECT 1', isShared: true }),
  [`PUT ${P}/monitor-order`]: ({ params }) => JSON.parse(params['order'] ?? '{"items":[]}'),
  [`PUT ${P}/queries/:id`]: ({ mark }) => ({ name: mark, sql: 'SELECT 2', isShared: true }),
};

type MakeTarget = (world: World, mark: string) => Promise<Params>;

const person: MakeTarget = async ({ sql, slug }) => {
  const deps = { sql, clock: systemClock };
  const { id } = await makeUser(deps);
  await giveRole(deps, { userId: id, slug, role: 'viewer' });
  return { userId: id };
};

const made = async ({ send, slug }: World, list: string, body: object): Promise<string> => {
  const path = `/api/v1/pages/${slug}/${list}`;
  const answer = await send({ method: 'POST', path, body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return String(Object(answer.body).id);
};

const email: MakeTarget = async (world, mark) => {
  const subscriberId = await made(world, 'subscribers', { email: emailOf(mark) });
  const [row] = await world.sql<{ id: string }[]>`
    update emails set state = 'parked', reason = 'x', finished_at = now()
    where subscriber_id = ${subscriberId} returning id`;
  return { id: row?.id ?? 'no email' };
};

const suppressed: MakeTarget = async (world, mark) => {
  const id = await made(world, 'subscribers', { email: emailOf(mark), confirmed: true });
  await world.sql`
    insert into suppressions (page_id, email, reason, created_at)
    select page_id, email, 'bounced', now() from subscribers where id = ${id}`;
  return { id };
};

const chat: MakeTarget = async ({ sql, slug }, mark) => {
  const [row] = await sql<{ id: string }[]>`
    with reader as (
      insert into subscribers (id, page_id, language, created_at, requested_at)
      select gen_random_uuid(), id, 'en', now(), now() from pages where slug = ${slug} returning id, page_id)
    insert into channels (id, page_id, kind, name, host, open_settings, settings, created_at, subscriber_id, address_hash)
    select gen_random_uuid(), page_id, 'slack', 'Slack', 'hooks.example.com', '{}', '', now(), id, ${Buffer.from(mark)}
    from reader returning subscriber_id as id`;
  return { id: row?.id ?? 'no chat' };
};

const delivery: MakeTarget = async (world) => {
  const id = await made(world, 'webhooks', { url: 'https://example.com/' });
  await made(world, `webhooks/${id}/test`, {}).catch(() => {});
  const [row] = await world.sql<{ id: string }[]>`
    update webhook_deliveries set state = 'parked', reason = 'x', finished_at = now()
    where webhook_id = ${id} returning id`;
  return { id, deliveryId: row?.id ?? 'no delivery' };
};

const occurrence =
  (isSkipped: boolean): MakeTarget =>
  async (world) => {
    const body = requestExamples['createMaintenanceSeries'] ?? {};
    const id = await made(world, 'maintenance-series', body);
    const series = `/api/v1/pages/${world.slug}/maintenance-series/${id}`;
    const { body: answer } = await world.send({ method: 'GET', path: series });
    const { startsAt } = Object(answer).occurrences[0];
    if (isSkipped) await world.send({ method: 'PUT', path: `${series}/skips/${startsAt}` });
    return { id, startsAt };
  };

const alertRule: MakeTarget = async (world) => {
  const route = world.routes.find(({ method, path }) => `${method} ${path}` === `PUT ${P}/alert-rule`);
  const body = route !== undefined && 'body' in route ? exampleOfBody(route, route.body.schema) : {};
  await world.send({ method: 'PUT', path: `/api/v1/pages/${world.slug}/alert-rule`, body });
  return {};
};

const alert: MakeTarget = async ({ sql, slug }) => {
  const [row] = await sql<{ id: string }[]>`
    insert into alerts (id, page_id, rule_slug, rule_name, kind, group_key, group_name, severity, title, evidence, started_at)
    select gen_random_uuid(), id, 'failing', 'Checkout fails', 'failure-rate', '', '', 'page', '9 % fail', '{}', now()
    from pages where slug = ${slug} returning id`;
  return { id: row?.id ?? 'no alert' };
};

const acknowledgedAlert: MakeTarget = async (world, mark) => {
  const target = await alert(world, mark);
  await world.sql`
    update alerts set acknowledged_at = now(), acknowledged_name = 'Somebody' where id = ${target['id'] ?? ''}`;
  return target;
};

/** A page with the roles of the other one, because the rest needs that. */
const pageOfItsOwn: MakeTarget = async ({ sql, slug }, mark) => {
  const { id } = await makePage(sql, { slug: mark, hostname: `${mark}.localhost` });
  await sql`
    insert into page_roles (page_id, user_id, role, created_at)
    select ${id}, user_id, role, created_at from page_roles
    where page_id = (select id from pages where slug = ${slug})`;
  return { page: mark };
};

const withStore: MakeTarget = async ({ send, slug, store }) => {
  const answer = await send({ method: 'PUT', path: `/api/v1/pages/${slug}/event-store`, body: store });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return {};
};

/** Nothing listens at the address; each mark is another change. */
const exportTo = (mark: string): object => ({
  ...{ endpoint: 'http://127.0.0.1:1', region: 'us-east-1', bucket: 'figures', prefix: mark },
  ...{ accessKeyId: 'somebody', secretAccessKey: `hidden ${mark}` },
});

const withExport: MakeTarget = async ({ send, slug }, mark) => {
  const path = `/api/v1/pages/${slug}/figure-export`;
  const answer = await send({ method: 'PUT', path, body: exportTo(mark) });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return {};
};

/** Gives the person who calls the password of these tests, and no app. */
const withPassword: MakeTarget = async ({ sql, self = null }) => {
  const { hash, salt, parameters } = await hashed;
  await sql`
    update users set password_hash = ${hash}, password_salt = ${salt}, password_parameters = ${sql.json(parameters)},
      totp_secret = null, totp_confirmed_at = null, totp_last_step = null
    where id = ${self}`;
  await sql`delete from recovery_codes where user_id = ${self}`;
  return {};
};

/** A recovery code proves as much as a code of the app, whose secret nothing opens here. */
const withApp: MakeTarget = async (world, mark) => {
  await withPassword(world, mark);
  const { sql, self } = world;
  if (self === undefined) return {};
  const code = mark.replaceAll('-', '');
  await sql`update users set totp_secret = 'x'::bytea, totp_confirmed_at = now() where id = ${self}`;
  await sql`
    insert into recovery_codes (user_id, code_hash) values (${self}, decode(${hashSecret(code)}, 'hex'))`;
  return { code };
};

const ownSession: MakeTarget = async ({ sql, self }) => {
  if (self === undefined) return {};
  await signIn({ sql, clock: systemClock }, self);
  const [session] = await sql<{ id: string }[]>`select id from user_sessions where user_id = ${self} limit 1`;
  return { id: session?.id ?? 'no session' };
};

/** A way of the person who calls, whose settings nothing opens here. */
const ownWay =
  (kind: 'ntfy' | 'email', isConfirmed: boolean): MakeTarget =>
  async ({ sql, self }) => {
    if (self === undefined) return {};
    const confirmedAt = isConfirmed ? new Date() : null;
    const [way] = await sql<{ id: string }[]>`
      insert into contact_ways (id, user_id, kind, name, host, open_settings, settings, severities, confirmed_at, created_at)
      values (gen_random_uuid(), ${self}, ${kind}, 'Watch', 'ntfy.sh', '{}', '', '{page}', ${confirmedAt}, now())
      returning id`;
    return { id: way?.id ?? 'no way' };
  };

const withPostmortem: MakeTarget = async (world) => {
  const { slug, store, send, mark } = { ...world, mark: randomUUID() };
  const body = Object(bodies[`POST ${P}/incidents`]?.({ slug, mark, params: {}, store }));
  const id = await made(world, 'incidents', body);
  const path = `/api/v1/pages/${slug}/incidents/${id}/postmortem`;
  await send({ method: 'PUT', path, body: { body: mark } });
  return { id };
};

/**
 * Makes what a route names, where no route creates it by itself; by the route, or by the beginning of its path up to the
 * last parameter.
 */
export const targets: Readonly<Record<string, MakeTarget>> = {
  [`DELETE ${P}`]: pageOfItsOwn,
  [`GET ${P}/event-store`]: withStore,
  [`GET ${P}/reports/:every`]: async () => ({ every: 'week' }),
  [`DELETE ${P}/event-store`]: withStore,
  [`POST ${P}/event-store/test`]: withStore,
  [`POST ${P}/event-store/replay`]: withStore,
  [`GET ${P}/figure-export`]: withExport,
  [`DELETE ${P}/figure-export`]: withExport,
  [`POST ${P}/figure-export/test`]: withExport,
  'DELETE /api/v1/sessions/:id': ownSession,
  '/api/v1/me/contact-ways': ownWay('ntfy', true),
  'POST /api/v1/me/contact-ways': async () => ({}),
  'POST /api/v1/me/contact-ways/:id/confirm': ownWay('email', false),
  'POST /api/v1/me/password': withPassword,
  'POST /api/v1/me/totp': withPassword,
  'DELETE /api/v1/me/totp': withApp,
  [`POST ${P}/reporters/forget`]: async ({ sql, slug }, mark) => {
    await sql`
      insert into sources (page_id, kind, source, name, first_seen_at)
      select id, 'reporter', ${mark}, 'Shop', now() from pages where slug = ${slug}`;
    return { reporter: mark };
  },
  // An id is none of the names that this route creates channels by.
  [`PUT ${P}/channels/:id`]: async (_, mark) => ({ id: `team-${mark.slice(0, 8)}` }),
  [`${P}/people`]: person,
  '/api/v1/users': async (world, mark) => ({ id: (await person(world, mark))['userId'] ?? '' }),
  [`${P}/emails`]: email,
  [`${P}/webhooks/:id/deliveries`]: delivery,
  [`${P}/chat-subscribers`]: chat,
  [`POST ${P}/subscribers/:id/unsuppress`]: suppressed,
  [`POST ${P}/subscribers/:id/confirm-mail`]: async (world, mark) => {
    const id = await made(world, 'subscribers', { email: emailOf(mark) });
    // Another confirmation may leave once this one is no longer on its way.
    await world.sql`delete from emails where subscriber_id = ${id}`;
    return { id };
  },
  [`${P}/incidents/:id/texts`]: async (world) => {
    const { slug, store, mark } = { ...world, mark: randomUUID() };
    const body = Object(bodies[`POST ${P}/incidents`]?.({ slug, mark, params: {}, store }));
    return { id: await made(world, 'incidents', body), language: 'de' };
  },
  [`GET ${P}/incidents/:id/postmortem`]: withPostmortem,
  [`DELETE ${P}/incidents/:id/postmortem`]: withPostmortem,
  [`DELETE ${P}/schedules/:slug/feed`]: async ({ send, slug, store }, mark) => {
    const path = `/api/v1/pages/${slug}/schedules/${mark}`;
    const body = bodies[`PUT ${P}/schedules/:slug`]?.({ slug, mark, params: {}, store });
    await send({ method: 'PUT', path, body });
    await send({ method: 'POST', path: `${path}/feed` });
    return { slug: mark };
  },
  [`DELETE ${P}/logo`]: async ({ send, slug }) => {
    await send({
      ...{ method: 'PUT', path: `/api/v1/pages/${slug}/logo`, body: pngPixel, mediaType: 'image/png' },
    });
    return {};
  },
  [`PUT ${P}/logo`]: async ({ send, slug }) => {
    await send({ method: 'DELETE', path: `/api/v1/pages/${slug}/logo` });
    return {};
  },
  [`POST ${P}/monitors/:slug/resume`]: async ({ send, slug, store }, mark) => {
    const path = `/api/v1/pages/${slug}/monitors/${mark}`;
    const body = Object(bodies[`PUT ${P}/monitors/:slug`]?.({ slug, mark, params: {}, store }));
    await send({ method: 'PUT', path, body });
    await send({ method: 'POST', path: `${path}/pause` });
    return { slug: mark };
  },
  [`PUT ${P}/maintenance-series/:id/skips/:startsAt`]: occurrence(false),
  [`DELETE ${P}/maintenance-series/:id/skips/:startsAt`]: occurrence(true),
  [`${P}/alerts`]: alert,
  [`POST ${P}/alerts/:id/unacknowledge`]: acknowledgedAlert,
  [`GET ${P}/alert-rule`]: alertRule,
  [`DELETE ${P}/alert-rule`]: alertRule,
  [`PUT ${P}/alert-rule`]: async ({ send, slug }) => {
    await send({ method: 'DELETE', path: `/api/v1/pages/${slug}/alert-rule` });
    return {};
  },
  // An order has every group and every monitor of the page.
  [`PUT ${P}/monitor-order`]: async ({ send, slug }, mark) => {
    const path = `/api/v1/pages/${slug}`;
    for (const group of [`a-${mark}`, `b-${mark}`])
      await send({ method: 'PUT', path: `${path}/groups/${group}`, body: { name: group } });
    const { body } = await send({ method: 'GET', path: `${path}/monitor-order` });
    const [ungrouped, ...groups] = Object(body).items;
    return { order: JSON.stringify({ items: [ungrouped, ...groups.reverse()] }) };
  },
  '/api/v1/jobs': async ({ send }) => {
    const { body } = await send({ method: 'GET', path: '/api/v1/installation' });
    return { name: Object(body).jobs[0].name };
  },
};

/** Routes whose target belongs to those who may reach it; others are refused at the page of the rest. */
export const ownTargets: ReadonlySet<string> = new Set([`DELETE ${P}`]);

/** Removes what has a limit on the page, and what other requests would not expect. */
export async function tidy({ sql, send, slug }: World): Promise<void> {
  await send({ method: 'DELETE', path: `/api/v1/pages/${slug}/event-store` });
  await sql`update webhooks set disabled_at = now(), disabled_reason = 'x' where disabled_at is null`;
  await sql`delete from connections`;
  await sql`delete from maintenance_series`;
  await sql`delete from monitor_groups`;
  await sql`delete from policies`;
  await sql`delete from boards where slug <> 'site'`;
  await sql`delete from schedules where slug <> ${siteSchedule}`;
}

/**
 * The answers of the pages on which people sign in, and which are open: the same for every caller, but for these that look at
 * the session. The usual status of the example is the one of everybody else.
 */
export const statusesForPeople: Readonly<Record<string, number>> = {
  'GET /manage': 200,
  'GET /manage/account': 200,
  'GET /manage/installation': 200,
  'GET /manage/pages/:page': 200,
  'GET /manage/pages/:page/:screen': 200,
  'GET /manage/pages/:page/reports/:every': 200,
  'GET /manage/sign-in': 303,
};

/** Routes of which every page has the same ones: the last part of the path names nothing that somebody made. */
export const choices: ReadonlySet<string> = new Set([`GET ${P}/reports/:every`]);

/** Routes that ask for a permission of readers and check more themselves, and what they answer to whom. */
export const ownRules: Readonly<Record<string, (caller: string) => number | undefined>> = {
  // Shared queries need page.write.
  [`POST ${P}/queries`]: refuseReaders,
  [`PUT ${P}/queries/:id`]: refuseReaders,
  [`DELETE ${P}/queries/:id`]: refuseReaders,
  // A report that one may not read is a screen that does not exist.
  'GET /manage/pages/:page/reports/:every': (caller) =>
    ["another page's owner", 'person without a role'].includes(caller) ? 404 : undefined,
  // A key has no address to send to.
  'POST /api/v1/installation/test-mail': (caller) => (caller === 'admin key' ? 403 : undefined),
  // It looks for the key itself, because a session does not do.
  'POST /mcp': (caller) => {
    if (/^(?:incident|ingest|read) key$/.test(caller)) return 403;
    return /manage key|^admin key$/.test(caller) ? undefined : 401;
  },
};

function refuseReaders(caller: string): number | undefined {
  return ['viewer', 'responder', 'manage key that may read'].includes(caller) ? 403 : undefined;
}
