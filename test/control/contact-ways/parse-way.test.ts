import t from 'tap';
import { type ContactWayKind, contactWayKinds } from '../../../contract/manage/contact-ways.js';
import { providerOrigins } from '../../../control/channels/index.js';
import {
  needsCode,
  parseWay,
  parseWayQuietHours,
  type WaySettingsChange,
} from '../../../control/contact-ways/parse-way.js';
import { waySettingsFor } from '../../support/contact-ways.js';
import { likeServiceError } from '../../support/like-service-error.js';

const known = { accountEmail: 'ada@example.com', origins: providerOrigins };
const parse = (kind: ContactWayKind, change: WaySettingsChange, before?: object) =>
  parseWay(kind, change, { ...known, before });
const refusal = (message: RegExp) => likeServiceError('invalidBody', { message });

t.test('each kind takes its settings, and only what is no secret is open', async (t) => {
  const settings = waySettingsFor('https://hooks.example.com');
  const open: Partial<Record<ContactWayKind, object>> = {
    ...{ email: settings.email, sms: settings.sms, voice: settings.voice },
    telegram: { chat: '-1001234' },
  };
  const hosts: Partial<Record<ContactWayKind, string>> = {
    ...{ email: 'smtp', sms: 'sms', voice: 'voice', webhook: 'hooks.example.com' },
    ...{ ntfy: 'ntfy.sh', pushover: 'api.pushover.net', telegram: 'api.telegram.org' },
  };
  for (const kind of contactWayKinds) {
    const parsed = parse(kind, settings[kind]);
    t.strictSame(parsed.settings, settings[kind], kind);
    t.strictSame(parsed.open, open[kind] ?? {}, kind);
    t.equal(parsed.host, hosts[kind], kind);
  }
});

t.test('a number is stored as E.164, and another form is refused', async (t) => {
  t.strictSame(parse('sms', { to: ' +49 (30) 123-456 ' }).settings, { to: '+4930123456' });
  for (const to of ['030123456', '+0301234567', '+49', '+49301234567890123', 'tel:+4930123456', '+49 30 x'])
    t.throws(() => parse('voice', { to }), refusal(/number of a phone with its country/), to);
  t.throws(() => parse('sms', {}), refusal(/needs "to"/));
});

t.test('an email without an address goes to the account, and needs no code', async (t) => {
  t.strictSame(parse('email', {}).settings, { to: 'ada@example.com' });
  t.equal(needsCode('email', { to: 'ada@example.com' }, known.accountEmail), false);
  t.equal(needsCode('email', { to: 'ada@example.org' }, known.accountEmail), true);
  t.equal(needsCode('sms', { to: '+4930123456' }, known.accountEmail), true);
  t.equal(needsCode('ntfy', { topic: 'a' }, known.accountEmail), false);
  t.throws(() => parse('email', { to: 'ada' }), refusal(/must be an email address/));
});

t.test('a field of another kind is refused, and what is not given stays', async (t) => {
  t.throws(() => parse('sms', { to: '+4930123456', url: 'https://a.example' }), refusal(/has no "url"/));
  t.throws(() => parse('ntfy', { topic: 'a', to: '+4930123456' }), refusal(/ntfy has no "to"/));
  t.throws(() => parse('ntfy', { topic: 'a', user: 'u' }), refusal(/has no "user"/));
  const before = { topic: 'acme', token: 'tk_1' };
  t.strictSame(parse('ntfy', { topic: 'other' }, before).settings, { topic: 'other', token: 'tk_1' });
  t.strictSame(parse('ntfy', { token: null }, before).settings, { topic: 'acme' });
});

t.test('quiet hours have a time zone that there is', async (t) => {
  const hours = { from: '22:00', to: '07:00', timeZone: 'europe/berlin' };
  t.strictSame(parseWayQuietHours(hours), {
    ...{ fromMinute: 22 * 60, toMinute: 7 * 60, timeZone: 'Europe/Berlin' },
  });
  t.equal(parseWayQuietHours(null), null);
  t.throws(() => parseWayQuietHours({ ...hours, timeZone: 'Mars/Base' }), refusal(/no such time zone/));
  t.throws(() => parseWayQuietHours({ ...hours, to: '22:00' }), refusal(/different times/));
});
