import { readFile, writeFile } from 'node:fs/promises';
import t from 'tap';
import { channelEvents, channelKinds } from '../../../contract/channels.js';
import { composeRequest } from '../../../control/channels/formats/compose-request.js';
import { type ChannelMessage, providerOrigins } from '../../../control/channels/formats/message.js';
import { testMessage } from '../../../control/channels/test-message.js';
import { settingsFor } from '../../support/channels.js';

const key = '01890000-0000-7000-8000-000000000001';
const url = 'https://heartline.example.com/manage/pages/acme/monitors';
const at = '2026-11-27T09:30:00.000Z';
const begin: ChannelMessage = {
  ...{ event: 'monitor.down', phase: 'begin', severity: 'critical', page: 'Acme', key, at },
  links: [{ text: 'Open the dashboard', url }],
  title: 'API is down',
  text: 'The answer has the status 502.',
  facts: [
    { name: 'Target', value: 'api.example.com' },
    { name: 'Since', value: '2026-11-27 09:29 UTC' },
  ],
};
const end: ChannelMessage = {
  ...begin,
  ...{ event: 'monitor.up', phase: 'end', title: 'API is up again', text: '' },
  facts: [{ name: 'Lasted', value: '12 minutes' }],
};
const test = testMessage({ page: 'Acme', key, url, at: Date.parse(at) });
/** Texts of pages and servers are no markup, whatever they hold. */
const hostile: ChannelMessage = {
  ...begin,
  page: '<b>Acme</b> & *Co* @channel',
  title: '<!channel> "API" *is* [down](https://evil.example.com) @everyone',
  text: '</b><a href="x">x</a> ```code``` <@U1> & @here\n# heading',
  facts: [{ name: '*Target*', value: '<script>`x`</script>' }],
};
/** A message to a reader. It leads to the status page, and to the choice of the reader. */
const reader: ChannelMessage = {
  ...{ event: 'incident.created', phase: 'begin', severity: 'warning', page: 'Acme', key, at },
  title: 'New incident: Database outage',
  text: 'Connections time out.',
  facts: [{ name: 'Affected', value: 'API, Shop' }],
  links: [
    { text: 'Open the status page', url: 'https://status.example.com/en/incidents/1' },
    { text: 'Change what you get', url: 'https://status.example.com/subscribers/manage?token=t' },
  ],
};
const messages = { begin, end, test, hostile, reader };

/** Set to write the files anew after a change that is meant; look at the difference before it is committed. */
const writes = process.argv.includes('--write');
const settings = settingsFor('https://hooks.example.com');
const goldenUrl = (kind: string) =>
  new URL(`../../../../test/fixtures/channels/${kind}.json`, import.meta.url);

function requestsOf(kind: (typeof channelKinds)[number]): object {
  const entries = Object.entries(messages).map(([name, message]) => {
    const { url, headers, body } = composeRequest(kind, message, settings[kind], providerOrigins);
    return [name, { url, headers, body: JSON.parse(body) }];
  });
  return Object.fromEntries(entries);
}

for (const kind of channelKinds) {
  t.test(`${kind}: the requests match the golden file`, async (t) => {
    const requests = requestsOf(kind);
    if (writes) await writeFile(goldenUrl(kind), `${JSON.stringify(requests, null, 2)}\n`);
    t.strictSame(requests, JSON.parse(await readFile(goldenUrl(kind), 'utf8')));
  });
}

t.test('texts of any length stay within the limits of every provider', async (t) => {
  const long: ChannelMessage = {
    ...begin,
    title: 'Ä'.repeat(5_000),
    text: '&'.repeat(20_000),
    facts: Array.from({ length: 40 }, (_, at) => ({
      name: `Name ${at} ${'n'.repeat(400)}`,
      value: 'v'.repeat(3_000),
    })),
  };
  const bodyOf = (kind: (typeof channelKinds)[number]) =>
    JSON.parse(composeRequest(kind, long, settings[kind], providerOrigins).body);
  const slack = bodyOf('slack').blocks;
  t.ok(slack[0].text.text.length <= 150);
  t.ok(slack[1].text.text.length <= 3_000);
  t.ok(slack[2].fields.length <= 10);
  for (const { text } of slack[2].fields) t.ok(text.length <= 2_000);
  const [embed] = bodyOf('discord').embeds;
  t.ok(embed.title.length <= 256 && embed.description.length <= 4_096 && embed.fields.length <= 25);
  const embedChars = JSON.stringify([embed.title, embed.description, embed.fields, embed.footer]).length;
  t.ok(embedChars <= 6_000, `an embed has 6,000 characters at most: ${embedChars}`);
  t.ok(Buffer.byteLength(JSON.stringify(bodyOf('teams'))) <= 28 * 1024);
  const telegram = bodyOf('telegram')
    .text.replace(/<[^>]+>/g, '')
    .replace(/&\w+;/g, '&');
  t.ok(telegram.length <= 4_096);
  t.ok(JSON.stringify(bodyOf('mattermost').attachments).length <= 16_383);
  const ntfy = bodyOf('ntfy');
  t.ok(Buffer.byteLength(ntfy.message) <= 4_096 && Buffer.byteLength(ntfy.title) <= 1_024);
  const pushover = bodyOf('pushover');
  t.ok(pushover.title.length <= 250 && pushover.message.length <= 1_024);
  t.ok(bodyOf('pagerduty').payload.summary.length <= 1_024);
  const opsgenie = bodyOf('opsgenie');
  t.ok(opsgenie.message.length <= 130 && opsgenie.description.length <= 15_000);
  const details = JSON.stringify(opsgenie.details).length;
  t.ok(details <= 8_000, `details have 8,000 characters at most: ${details}`);
});

t.test('every event has a begin and an end of its own', async (t) => {
  const all = Object.values(channelEvents).flat();
  t.equal(new Set(all).size, all.length);
});
