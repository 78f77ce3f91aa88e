import type { Test } from 'tap';
import type { ContactWayKind } from '../../contract/manage/contact-ways.js';
import {
  createWay,
  createWaySender,
  type Gateways,
  type ListedWay,
  type PersonLoopDeps,
  startPersonLoop,
  type WayDeps,
  type WayInput,
  type WayOwner,
  type WaySender,
  type WaySenderDeps,
} from '../../control/contact-ways/index.js';
import type { WaySettings } from '../../control/contact-ways/parse-way.js';
import type { Clock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from './actor.js';
import { originsAt } from './channels.js';
import { testSecretKey } from './embedded-stores.js';
import { silentLog } from './silent-log.js';

type Deps = { sql: Sql; clock: Clock };

/** The settings of each kind, for a receiver at this address. */
export const waySettingsFor = (url: string): Record<ContactWayKind, WaySettings> => ({
  email: { to: 'pager@example.org' },
  ntfy: { topic: 'ada-on-call', token: 'tk_secret' },
  pushover: { token: 'a'.repeat(30), user: 'u'.repeat(30) },
  telegram: { token: '123456:AAH-abcdefghijklmnopqrstuvwxyz012345', chat: '-1001234' },
  webhook: { url: `${url}/program`, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
  sms: { to: '+4930123456' },
  voice: { to: '+4930123456' },
});

/** The credentials of the gateways of gatewaysAt(). */
export const gatewayToken = 'gateway-auth-token';

/** Gateways in the forms of Twilio, at one local receiver. */
export function gatewaysAt(url: string): Gateways {
  const account = `${url}/2010-04-01/Accounts/AC0123456789`;
  const headers = {
    authorization: `Basic ${Buffer.from(`AC0123456789:${gatewayToken}`).toString('base64')}`,
  };
  const from = { To: '{to}', From: '+15005550006' };
  return {
    sms: { url: `${account}/Messages.json`, form: { ...from, Body: '{text}' }, headers },
    voice: {
      ...{ url: `${account}/Calls.json`, headers },
      form: { ...from, Twiml: '<Response><Say>{text_xml}</Say></Response>' },
    },
  };
}

/** Creates what sends to ways, of which every server is this local receiver, until the test ends. */
export function makeWaySender(
  t: Test,
  { clock, url, smtpUrl }: Pick<WaySenderDeps, 'clock' | 'smtpUrl'> & { url: string },
): WaySender {
  const sender = createWaySender({
    ...{ clock, smtpUrl, gateways: gatewaysAt(url), origins: originsAt(url), allowPrivateAddresses: true },
  });
  t.teardown(() => sender.close());
  return sender;
}

/** The dependencies of the verbs of ways. */
export function wayDepsOf(deps: Deps, sender: WaySender): WayDeps {
  return {
    ...{ ...deps, sender, by: testActor, secretKey: testSecretKey },
    baseUrl: () => 'https://heartline.example.com/',
  };
}

/** Creates a way of a person, confirmed whatever its kind. */
export async function makeWay(deps: WayDeps, owner: WayOwner, input: WayInput): Promise<ListedWay> {
  const way = await createWay(deps, owner, input);
  await deps.sql`
    update contact_ways set confirmed_at = created_at, code_hash = null, code_expires_at = null where id = ${way.id}`;
  return way;
}

/** Starts the loop of messages to people of the service, until the test ends. */
export function startTestPersonLoop(
  t: Test,
  deps: Deps & { sender: WaySender } & Partial<PersonLoopDeps>,
): { stop(): Promise<void>; wake(): void } {
  const loop = startPersonLoop({
    ...{ log: silentLog, secretKey: testSecretKey, pollMs: 20, stopGraceMs: 300 },
    alertLinkOf: ({ pageSlug, alertKey }) =>
      `https://heartline.example.com/manage/pages/${pageSlug}/alerts/${alertKey}`,
    ...deps,
  });
  t.teardown(() => loop.stop());
  return loop;
}

export type PersonRow = {
  id: string;
  way_id: string;
  kind: string;
  phase: string;
  alert_key: string;
  state: string;
  attempts: number;
  reason: string | null;
  next_attempt_at: Date;
  held_until: Date | null;
};

/** The messages to a person in the order in which they were queued. */
export function loadPersonMessages(sql: Sql, userId: string): Promise<PersonRow[]> {
  return sql<PersonRow[]>`
    select id, way_id, kind, phase, alert_key, state, attempts, reason, next_attempt_at, held_until
    from person_messages where user_id = ${userId} order by seq`;
}
