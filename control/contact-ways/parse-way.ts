import type { ChannelSettings } from '../../contract/channels.js';
import { isLine, lineRule } from '../../contract/line.js';
import {
  type ContactWay,
  type ContactWayKind,
  contactWayLimits,
  contactWayNames,
  type PhoneWayKind,
  type ProviderWayKind,
  phoneWayKinds,
  providerWayKinds,
} from '../../contract/manage/contact-ways.js';
import { type AlertSeverity, alertSeverities } from '../../contract/manage/shared.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { findTimeZone } from '../../lib/locale/time.js';
import { ServiceError } from '../../lib/service-error.js';
import { type ProviderOrigins, parseQuietHours, parseSettings } from '../channels/index.js';

/** Address and credentials of a way: `to` of an email or a phone, or what the provider needs. */
export type WaySettings = Pick<
  ChannelSettings,
  'url' | 'server' | 'topic' | 'token' | 'chat' | 'user' | 'secret'
> & { to?: string };

/** Changes of settings: null removes a field. */
export type WaySettingsChange = { [Field in keyof WaySettings]?: WaySettings[Field] | null };

/** Minutes of the day in a time zone; `to` may be on the next day. */
export type WayQuietHours = { fromMinute: number; toMinute: number; timeZone: string };

/** Settings that have been checked. `open` holds the ones that may be shown. */
export type ParsedWay = {
  settings: WaySettings;
  open: WaySettings;
  /** The host that messages go to, or `smtp`, `sms` or `voice`: few attempts at once go to each. */
  host: string;
};

type Known = {
  /** The settings that the way has, which stay unless they are changed. */
  before?: WaySettings | undefined;
  /** Email of the account, where an email goes that names no other address. */
  accountEmail: string;
  origins: ProviderOrigins;
};

/**
 * Checks the settings of a way: that it has the fields of its kind and no others, each in its form.
 *
 * @throws ServiceError `invalidBody`, naming the field; no message holds a secret.
 */
export function parseWay(kind: ContactWayKind, change: WaySettingsChange, known: Known): ParsedWay {
  const { before = {}, accountEmail, origins } = known;
  if (isProviderKind(kind)) {
    const { to, ...rest } = change;
    if (to !== undefined && to !== null) throw invalid('to', `${contactWayNames[kind]} has no "to".`);
    const { to: _to, ...had } = before;
    return parseSettings(kind, rest, { before: had, origins });
  }
  const other = Object.entries(change).find(([name, value]) => name !== 'to' && value !== null);
  if (other !== undefined) {
    throw invalid(other[0], `${contactWayNames[kind]} has no "${other[0]}"; its setting is "to".`);
  }
  const given = change.to === undefined ? before.to : (change.to ?? undefined);
  const to = kind === 'email' ? parseTo(given ?? accountEmail) : parsePhone(kind, given);
  return { settings: { to }, open: { to }, host: kind === 'email' ? 'smtp' : kind };
}

function parseTo(text: string): string {
  const address = parseEmailAddress(text);
  if (address !== undefined) return address;
  throw invalid('to', '"to" must be an email address, such as me@example.com.');
}

/** E.164: a plus, the country and the number, at most 15 digits. People write spaces and signs in between. */
function parsePhone(kind: PhoneWayKind, text: string | undefined): string {
  if (text === undefined) throw invalid('to', `${contactWayNames[kind]} needs "to", the number of a phone.`);
  const number = text.trim().replaceAll(/[\s().\u2010-\u2015-]/g, '');
  if (/^\+[1-9]\d{6,14}$/.test(number)) return number;
  throw invalid('to', '"to" must be the number of a phone with its country, such as +4930123456.');
}

function invalid(field: string, message: string): ServiceError {
  return new ServiceError('invalidBody', { field: `/settings/${field}`, message });
}

/** Whether messages of a kind leave by a gateway of the operator. */
export function isPhoneKind(kind: ContactWayKind): kind is PhoneWayKind {
  return phoneWayKinds.some((one) => one === kind);
}

/** Whether messages of a kind go to a provider, as those of channels do. */
export function isProviderKind(kind: ContactWayKind): kind is ProviderWayKind {
  return providerWayKinds.some((one) => one === kind);
}

/** Whether alerts come to a way only once a code has confirmed that it is its owner's. */
export function needsCode(kind: ContactWayKind, { to }: WaySettings, accountEmail: string): boolean {
  return isPhoneKind(kind) || (kind === 'email' && to !== accountEmail);
}

/** Returns where messages go, as the owner of a way knows it, without a secret. */
export function addressOf({ host, open }: { host: string; open: WaySettings }): string {
  return open.to ?? host;
}

/** The settings of a way that may be shown: no field is a secret. */
export function shownSettings(open: WaySettings): ContactWay['settings'] {
  const { to, server, chat } = open;
  return {
    ...(to !== undefined && { to }),
    ...(server !== undefined && { server }),
    ...(chat !== undefined && { chat }),
  };
}

/** @throws ServiceError `invalidBody` */
export function parseWayName(text: string): string {
  const name = text.trim();
  if (name.length <= contactWayLimits.nameChars && isLine('line', name)) return name;
  throw new ServiceError('invalidBody', {
    field: '/name',
    message: `The name of a way must have 1 to ${contactWayLimits.nameChars} characters, and ${lineRule('line')}.`,
  });
}

/** In one order, so that the same ones again are no change. */
export function parseSeverities(given: readonly AlertSeverity[]): AlertSeverity[] {
  return alertSeverities.filter((severity) => given.includes(severity));
}

/** @throws ServiceError `invalidBody` for another form of the hours, and for a time zone that there is not */
export function parseWayQuietHours(hours: ContactWay['quietHours']): WayQuietHours | null {
  const minutes = parseQuietHours(hours);
  if (hours === null || minutes === null) return null;
  const timeZone = findTimeZone(hours.timeZone);
  if (timeZone !== undefined) return { ...minutes, timeZone };
  throw new ServiceError('invalidBody', {
    field: '/quietHours/timeZone',
    message: 'There is no such time zone; name one such as Europe/Berlin.',
  });
}
