import t from 'tap';
import { type ChannelKind, channelFields, channelKinds } from '../../../contract/channels.js';
import { providerOrigins } from '../../../control/channels/formats/message.js';
import { parseSettings, parseTopics } from '../../../control/channels/parse-settings.js';
import { settingsFor } from '../../support/channels.js';
import { likeServiceError } from '../../support/like-service-error.js';

const origins = providerOrigins;
const url = 'https://hooks.example.com:8443';
const parse = (kind: ChannelKind, change: object, before?: object) =>
  parseSettings(kind, change, { before, origins });
const refusal = (message: RegExp) => likeServiceError('invalidBody', { message });

t.test('each kind takes its settings, and keeps what is secret apart', async (t) => {
  const hosts: Partial<Record<ChannelKind, string>> = {
    ...{ telegram: 'api.telegram.org', ntfy: 'ntfy.sh', pushover: 'api.pushover.net' },
    ...{ pagerduty: 'events.pagerduty.com', opsgenie: 'api.eu.opsgenie.com' },
  };
  const shown: Partial<Record<ChannelKind, object>> = {
    ...{ telegram: { chat: '-1001234' }, ntfy: {} },
    ...{ gotify: { server: `${url}/gotify` }, opsgenie: { region: 'eu' } },
  };
  for (const kind of channelKinds) {
    const { settings, open, host } = parse(kind, settingsFor(url)[kind]);
    t.strictSame(settings, settingsFor(url)[kind], kind);
    t.strictSame(open, shown[kind] ?? {}, kind);
    t.equal(host, hosts[kind] ?? 'hooks.example.com:8443', kind);
  }
});

t.test('a setting that is missing is named', async (t) => {
  for (const kind of channelKinds) {
    for (const field of channelFields[kind].needs) {
      const { [field]: _without, ...rest } = settingsFor(url)[kind];
      t.throws(() => parse(kind, rest), refusal(new RegExp(`needs "${field}"`)), `${kind} without ${field}`);
    }
  }
});

t.test('values that cannot be right are refused, and not repeated', async (t) => {
  const cases: [ChannelKind, object, RegExp][] = [
    [
      'slack',
      { url: 'xoxb-123-secret' },
      /^"url": That is not a URL; give one such as https:\/\/example\.com\/path\.$/,
    ],
    ['slack', { url: 'ftp://hooks.slack.com/x' }, /must start with http/],
    ['slack', { url: 'https://me:secret@hooks.slack.com/' }, /must not hold a user name/],
    ['slack', { url, token: 'x' }, /Slack has no "token"; its settings are url/],
    ['telegram', { token: 'secret', chat: '1' }, /^"token": The token of a bot/],
    ['telegram', { token: '1:abcdefghijklmnopqrstuvwxyz', chat: 'general' }, /^"chat": A chat is a number/],
    ['ntfy', { topic: 'with space' }, /^"topic"/],
    ['gotify', { server: 'gotify', token: 'A' }, /^"server": That is not a URL/],
    ['pushover', { token: 'short', user: 'u'.repeat(30) }, /^"token"/],
    ['pagerduty', { routingKey: 'secret' }, /^"routingKey"/],
    ['pagerduty', { routingKey: 'R'.repeat(32), region: 'mars' }, /^"region": The regions are us or eu/],
    ['opsgenie', { apiKey: 'x' }, /^"apiKey"/],
    ['webhook', { url, secret: 'hunter2-secret' }, /^"secret": A secret is whsec_/],
  ];
  for (const [kind, settings, message] of cases) {
    t.throws(() => parse(kind, settings), refusal(message), message.source);
    try {
      parse(kind, settings);
    } catch (error) {
      t.notMatch(String(error), /xoxb|hunter2|me:secret/, 'what may be a secret is not in the message');
    }
  }
});

t.test('a change keeps what it does not name, and null removes', async (t) => {
  const before = settingsFor(url).ntfy;
  t.strictSame(parse('ntfy', { topic: 'other' }, before).settings, { ...before, topic: 'other' });
  t.strictSame(parse('ntfy', { token: null }, before).settings, { topic: 'acme-operations' });
  t.throws(() => parse('ntfy', { topic: null }, before), refusal(/needs "topic"/));
});

t.test('topics are put in their order, and unknown ones refused with a guess', async (t) => {
  t.equal(parseTopics(null), null);
  t.equal(parseTopics(['all']), null);
  t.strictSame(parseTopics(['certificate', 'monitor', 'monitor']), ['monitor', 'certificate']);
  t.throws(
    () => parseTopics(['monitors']),
    likeServiceError('invalidBody', { hint: /Did you mean monitor\?/ }),
  );
  t.throws(() => parseTopics([]), likeServiceError('invalidBody'));
});
