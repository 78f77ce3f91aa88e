import t from 'tap';
import type { LedgerEntry } from '../../contract/incidents.js';
import type { Service } from '../../contract/public/summary.js';
import { hourMs } from '../../lib/times.js';
import { renderStatusView } from '../../web/views/status-view.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';
import {
  changeServices,
  makeEntry,
  makeMaintenance,
  makeView,
  pageAssets,
  readText,
  withFreshness,
  withKnownState,
  withSince,
} from '../support/page-views.js';

const render = (view: StatusViewInput): string => renderStatusView(view, pageAssets);
const overall = (view: StatusViewInput): string =>
  readText(/<span data-overall>(.*?)<\/span>/.exec(render(view))?.[1] ?? '').trim();
const down: Partial<Service> = { status: 'down' };

const makePaused = (view: StatusViewInput): StatusViewInput =>
  changeServices(
    view,
    view.summary.services.map((service) => withFreshness(service, 'paused')),
  );

t.test('each state of a page has its own sentence', async (t) => {
  const view = makeView();
  const [first] = view.summary.services;
  if (first === undefined) throw new Error('The view has no service.');
  const all = (freshness: NonNullable<Service['coverage']>['freshness']) =>
    changeServices(view, [withFreshness(first, freshness), withFreshness(first, freshness)]);
  const unknown = withKnownState(first, 'unknown');
  const one = { ...view, summary: { ...view.summary, services: [{ ...first, ...down }] } };
  const cases: [string, StatusViewInput][] = [
    ['All services are up', view],
    ['Service 1 is down', changeServices(view, [down])],
    ['Service 1 and Service 2 are down', changeServices(view, [down, down])],
    ['Service 1 is down', one],
    ['We are working on an incident', makeView({ incidents: [makeEntry()] })],
    ['We are working on 2 incidents', makeView({ incidents: [makeEntry(), makeEntry({ id: 'b' })] })],
    ['Maintenance is under way', makeView({ incidents: [makeMaintenance()] })],
    ['Monitoring is paused', all('paused')],
    ['Nothing is monitored yet', { ...view, summary: { ...view.summary, services: [] } }],
    ['Nothing is known yet', all('never')],
    ['Nothing is known yet', changeServices(view, [unknown, { ...down, ...unknown }])],
    ['Nothing is known yet', changeServices(view, [withKnownState(first, 'waiting'), unknown])],
    ['1 of 2 services is up', changeServices(view, [unknown])],
    ['1 of 2 services is up', changeServices(view, [withKnownState(first, 'waiting')])],
    ['1 of 2 services is up', changeServices(view, [withFreshness(first, 'stale')])],
    ['1 of 2 services is up', changeServices(view, [withFreshness(first, 'paused')])],
    ['Service 1 is down', changeServices(view, [down, unknown])],
    ['There are no recent measurements', all('stale')],
  ];
  for (const [sentence, ofView] of cases) {
    t.equal(overall(ofView), sentence);
    const html = render(ofView);
    t.match(html, `<title>${sentence} · Acme Cloud</title>`);
    t.match(/<meta name="description" content="([^"]*)"/.exec(html)?.[1], sentence, 'the description');
    t.match(
      /<meta property="og:description" content="([^"]*)"/.exec(html)?.[1],
      sentence,
      'the description for links',
    );
    t.equal((html.match(/<h1/g) ?? []).length, 1);
    t.notMatch(html, /undefined|NaN|\[object|\{\w+\}</);
  }
});

t.test('a link to the page has a picture of its state, and the same in words', async (t) => {
  const view = makeView();
  const pictureOf = (of: StatusViewInput) =>
    /<meta property="og:image" content="([^"]*)"/.exec(render(of))?.[1];
  const address = pictureOf(view);
  t.match(address, /^https:\/\/[^/]+\/en\/card\.png\?v=[\w-]{8}$/);
  t.equal(pictureOf(view), address, 'the same state has the same address');
  t.equal(pictureOf({ ...view, now: view.now + 1 }), address);
  const others = [
    changeServices(view, [down]),
    makeView({ incidents: [makeEntry()] }),
    makeView({ incidents: [makeMaintenance()] }),
    makePaused(view),
    { ...view, now: view.now + 24 * hourMs },
  ].map(pictureOf);
  t.equal(new Set([address, ...others]).size, 6, 'sites that keep the picture ask for another one');
  t.match(render(changeServices(view, [down])), /og:image:alt" content="Service 1 is down/);
});

t.test('the most serious state wins', async (t) => {
  const view = makeView();
  t.equal(
    overall({ ...changeServices(view, [down]), incidents: [makeEntry(), makeMaintenance()] }),
    'Service 1 is down',
  );
  t.equal(
    overall(makeView({ incidents: [makeMaintenance(), makeEntry()] })),
    'We are working on an incident',
  );
  t.equal(
    overall({ ...changeServices(view, [down]), incidents: [makeMaintenance({ services: ['service-1'] })] }),
    'Maintenance is under way',
    'a service that is down in a maintenance does not count as down',
  );
  t.equal(
    overall(makePaused(changeServices(view, [down]))),
    'Monitoring is paused',
    'a paused service does not count as down',
  );
  t.equal(overall({ ...makePaused(view), incidents: [makeEntry()] }), 'We are working on an incident');
});

t.test('open incidents and running maintenance come before the services, planned ones after', async (t) => {
  const text = readText(
    render(
      makeView({
        incidents: [
          makeEntry({ title: { en: 'Planned work' }, type: 'maintenance', maintenanceState: 'scheduled' }),
          makeMaintenance({ title: { en: 'Running work' } }),
          makeEntry({ services: ['service-2', 'gone'] }),
        ],
      }),
    ),
  );
  const places = ['Slow logins', 'Running work', 'Service 1', 'Planned work', 'Past incidents'].map((part) =>
    text.indexOf(part),
  );
  t.strictSame(
    places,
    places.toSorted((a, b) => a - b),
  );
  t.ok(places.every((place) => place > 0));
  t.match(text, 'Affects Service 2');
});

t.test('an open incident names its services with the states that it says', async (t) => {
  const said = {
    ...{ services: ['service-1', 'service-2'], impact: 'minor' as const },
    serviceStates: { 'service-1': 'major_outage' as const },
  };
  const open = readText(render(makeView({ incidents: [makeEntry(said)] })));
  t.match(open, 'Affects Service 1 (down) and Service 2 (degraded)');
  const german = renderStatusView(
    { ...makeView({ incidents: [makeEntry(said)] }), language: 'de' },
    pageAssets,
  );
  t.match(readText(german), 'Betrifft Service 1 (ausgefallen) und Service 2 (beeinträchtigt)');
  const resolved = makeEntry({ ...said, resolvedAt: '2026-11-21T16:00:00.000Z' });
  const past = readText(render(makeView({ incidents: [resolved] })));
  t.match(past, 'Affects Service 1 and Service 2');
});

t.test('the latest updates are shown, newest first, with a link to all', async (t) => {
  const updates = [1, 2, 3, 4].map((number) => ({
    ...{ id: `u${number}`, status: 'investigating' as const, body: { en: `Text ${number}` } },
    createdAt: `2026-11-21T15:3${number}:00.000Z`,
  }));
  const html = render(makeView({ incidents: [makeEntry({ updates })] }));
  const text = readText(html);
  t.ok(text.indexOf('Text 4') < text.indexOf('Text 3') && text.indexOf('Text 3') < text.indexOf('Text 2'));
  t.notMatch(text, 'Text 1');
  t.match(html, '<a href="/en/incidents/entry-1">See all 4 updates</a>');
  t.match(html, 'data-incident-text="Slow logins: Investigating. Text 4"');
});

t.test('a reopened incident continues, whatever its latest update says', async (t) => {
  const updates = [
    { id: 'u', status: 'resolved' as const, body: { en: 'Done.' }, createdAt: '2026-11-21T15:40:00.000Z' },
  ];
  t.match(readText(render(makeView({ incidents: [makeEntry({ updates })] }))), 'Slow logins Ongoing');
});

t.test('a service has its state in a word, and the time of its last check if that is long ago', async (t) => {
  const view = makeView();
  const [first] = view.summary.services;
  if (first === undefined) throw new Error('The view has no service.');
  const word = (change: Partial<Service>, incidents = view.incidents) =>
    / (Up|Down|Maintenance|Paused|Not known yet|Waiting for the first call|No recent check) /.exec(
      readText(render({ ...changeServices(view, [change]), incidents })).split('Not measured Service 1')[1] ??
        '',
    )?.[1];
  t.equal(word({}), 'Up');
  t.equal(word(down), 'Down');
  t.equal(word({ ...down, ...withFreshness(first, 'paused') }), 'Paused');
  t.equal(word(withFreshness(first, 'never')), 'Not known yet');
  t.equal(word(withKnownState(first, 'unknown')), 'Not known yet');
  t.equal(
    word({ ...down, ...withKnownState(first, 'unknown') }),
    'Not known yet',
    'failed too seldom for down',
  );
  t.equal(word(withKnownState(first, 'waiting')), 'Waiting for the first call');
  t.equal(word(withFreshness(first, 'stale')), 'No recent check');
  t.equal(word(down, [makeMaintenance({ services: ['service-1'] })]), 'Maintenance');
  const stale = readText(render(changeServices(view, [withFreshness(first, 'stale')])));
  t.match(stale, /No recent check Last checked 16:29 UTC/);
  t.notMatch(readText(render(changeServices(view, [{ uptime: 'N/A' }, { uptime: 'N/A' }]))), 'uptime');
});

t.test('nothing is drawn, and no figure given, of a service that nobody has observed', async (t) => {
  const view = makeView();
  const [first] = view.summary.services;
  if (first === undefined) throw new Error('The view has no service.');
  const never = { uptime: 'N/A', dailyHealth: {}, dailyMinutesDown: {} };
  const html = render(changeServices(view, [{ ...never, ...withKnownState(first, 'waiting') }]));
  t.equal((html.match(/class="days"/g) ?? []).length, 1, 'only the other service has bars');
  t.equal((html.match(/class="uptime"/g) ?? []).length, 1, 'only the other service has a figure');
  const [today = ''] = Object.keys(first.dailyHealth).sort().reverse();
  const failing = {
    ...{ ...down, uptime: '0.00%', ...withKnownState(first, 'unknown') },
    ...{ dailyMinutesDown: { [today]: 11 }, dailyHealth: { [today]: { rate: 100 } } },
  };
  const undecided = render(changeServices(view, [failing]));
  t.equal((undecided.match(/class="days"/g) ?? []).length, 1, 'no bar says down beside "Not known yet"');
  t.notMatch(readText(render(changeServices(view, [failing]))), /0\.00/, 'no uptime beside "Not known yet"');
});

t.test('the axis of a young page begins with the page, and its figures name the day', async (t) => {
  const view = makeView({ historyDays: 90 });
  const [first] = view.summary.services;
  if (first === undefined) throw new Error('The view has no service.');
  const young = (since: string, observedSeconds: number, more: Partial<Service> = {}) => ({
    ...withSince(first, since, observedSeconds),
    ...more,
  });
  const day = (...days: string[]) => Object.fromEntries(days.map((name) => [`2026-11-${name}`, { rate: 0 }]));
  const two = { uptime: '100.00%', dailyHealth: day('20', '21') };
  const both = render(
    changeServices(view, [young('2026-11-20', 140_000, two), young('2026-11-20', 140_000, two)]),
  );
  t.match(both, 'data-days="," data-from="2026-11-20" data-columns="21"');
  t.match(both, 'aria-label="Since 20 November: no downtime"');
  t.match(readText(both), /100\.00% uptime since 20 November/);
  t.match(readText(both), /Since 20 November Response time|Since 20 November/);
  t.notMatch(both, /Last 90 days|90 days ago|class="unmeasured" d="M5 36v0m/);

  t.comment('a service that is younger than the page');
  const mixed = render(
    changeServices(view, [
      young('2026-11-20', 140_000, two),
      young('2026-11-18', 300_000, { dailyHealth: day('18', '19', '20', '21') }),
    ]),
  );
  t.match(mixed, 'data-days="-,-,," data-from="2026-11-18"', 'all services share an axis');
  t.match(mixed, 'aria-label="Since 20 November: no downtime"');
  t.match(mixed, 'aria-label="Since 18 November: no downtime"');
  const bars = /class="days".*?<svg.*?<\/svg>/.exec(mixed)?.[0] ?? '';
  t.notMatch(bars, 'class="unmeasured"', 'no dot before the service began');

  t.comment('the first day');
  const hours = (more: Partial<Service>) =>
    readText(render(changeServices(view, [young('2026-11-21', 3_600, { ...more, dailyHealth: day('21') })])));
  t.match(hours({ uptime: '100.00%' }), 'No downtime since 21 November');
  const down55 = { uptime: '7.74%', dailyMinutesDown: { '2026-11-21': 55 } };
  t.match(hours(down55), '55 minutes down since 21 November');
  t.notMatch(hours(down55), /7\.74/);
});

t.test('a day that was observed without checks of its own is no gap', async (t) => {
  const view = makeView({ historyDays: 7 });
  t.match(render(view), 'data-days=",,,,,,"');
  t.match(readText(render(view)), '99.98% uptime in 7 days');
});

t.test('times are in UTC with the zone, for a script to rewrite', async (t) => {
  const planned = makeMaintenance({
    maintenanceState: 'scheduled',
    startedAt: '2026-11-25T22:00:00.000Z',
    scheduledEndAt: '2026-11-25T23:30:00.000Z',
  });
  t.match(
    render(makeView({ incidents: [planned] })),
    '<time datetime="2026-11-25T22:00:00.000Z" data-local="datetime">25 Nov 2026, 22:00 UTC</time> – ' +
      '<time datetime="2026-11-25T23:30:00.000Z" data-local="time" data-since="2026-11-25T22:00:00.000Z">23:30 UTC</time>',
  );
  t.match(
    readText(render(makeView({ incidents: [{ ...planned, scheduledEndAt: null }] }))),
    /From 25 Nov 2026, 22:00 UTC , end open/,
  );
  const view = makeView({ language: 'de', incidents: [planned] });
  t.match(render(view), 'data-local="datetime">25. Nov. 2026, 22:00 UTC</time>');
});

t.test('past incidents are grouped by day; consecutive quiet days share a line', async (t) => {
  const over = (id: string, startedAt: string, resolvedAt: string) =>
    makeEntry({ id, title: { en: `Title ${id}` }, startedAt, resolvedAt });
  const text = readText(
    render(
      makeView({
        incidents: [
          over('a', '2026-11-18T10:00:00.000Z', '2026-11-18T10:42:00.000Z'),
          over('b', '2026-11-01T10:00:00.000Z', '2026-11-12T11:00:00.000Z'),
          over('c', '2026-11-01T10:00:00.000Z', '2026-11-02T10:00:00.000Z'),
        ],
      }),
    ),
  ).split('Past incidents')[1];
  t.match(text, /19 – 21 November No incidents reported 18 November Title a Resolved/);
  t.match(
    text,
    /18 Nov 2026, 10:00 UTC – 10:42 UTC Lasted 42 minutes Logging in takes long\. 13 – 17 November No incidents reported/,
  );
  t.match(text, /12 November Title b/, 'an incident that began earlier is on the day of its end');
  t.match(text, /Lasted 11 days 1 hour/);
  t.notMatch(text, 'Title c');
  t.match(readText(render(makeView())), 'No incidents reported in the last 14 days.');
  t.match(text, /8 – 11 November No incidents reported See the whole history/);
});

t.test(
  'what is open or running is not among the past incidents, and its days are not called quiet',
  async (t) => {
    const pastOf = (incidents: LedgerEntry[]) =>
      /Past incidents.*?See the whole history/.exec(readText(render(makeView({ incidents }))))?.[0] ?? '';
    const open = makeEntry({ startedAt: '2026-11-20T10:00:00.000Z' });
    t.equal(
      pastOf([open]),
      'Past incidents No other incidents reported in the last 14 days. See the whole history',
    );
    t.equal(
      pastOf([makeMaintenance({ startedAt: '2026-11-20T10:00:00.000Z' })]),
      'Past incidents No incidents reported in the last 14 days. See the whole history',
    );
    const over = makeEntry({
      ...{ id: 'over', title: { en: 'Slow mail' } },
      ...{ startedAt: '2026-11-21T09:00:00.000Z', resolvedAt: '2026-11-21T10:00:00.000Z' },
    });
    const text = pastOf([open, over]);
    t.match(
      text,
      /^Past incidents 21 November Slow mail Resolved .* 8 – 19 November No incidents reported See/,
    );
    t.notMatch(text, 'Slow logins');
    t.notMatch(text, '20 November');
  },
);

t.test('the summary of an incident stays when it has updates', async (t) => {
  const updates = [
    {
      ...{ id: 'u1', status: 'identified' as const, body: { en: 'A disk is full.' } },
      createdAt: '2026-11-21T15:40:00.000Z',
    },
  ];
  const open = readText(render(makeView({ incidents: [makeEntry({ updates })] })));
  t.match(open, /Logging in takes long\. Identified .* A disk is full\./);
  const over = readText(
    render(makeView({ incidents: [makeEntry({ updates, resolvedAt: '2026-11-21T16:00:00.000Z' })] })),
  );
  t.match(over, /Logging in takes long\. Identified A disk is full\./);
});

t.test('an incident is announced once, and so is its end', async (t) => {
  const toldOf = (fields: Partial<LedgerEntry>) =>
    [
      ...render(changeServices(makeView({ incidents: [makeEntry(fields)] }), [down])).matchAll(
        /data-incident-text="([^"]*)"/g,
      ),
    ].map(([, text]) => text);
  t.strictSame(toldOf({}), ['Slow logins: Ongoing. Logging in takes long.']);
  const resolvedAt = '2026-11-21T16:00:00.000Z';
  t.strictSame(toldOf({ resolvedAt }), ['Slow logins: Resolved. Logging in takes long.']);
});

t.test('maintenance that was called off is not shown as completed', async (t) => {
  const startedAt = '2026-11-20T10:00:00.000Z';
  const calledOff = makeMaintenance({ startedAt, resolvedAt: startedAt, maintenanceState: 'completed' });
  const text = readText(render(makeView({ incidents: [calledOff] })));
  t.match(text, 'Slow logins Called off');
  t.notMatch(text, 'Lasted');
});

t.test('long texts are cut, with a link to the rest', async (t) => {
  const html = render(makeView({ incidents: [makeEntry({ summary: { en: 'long words '.repeat(500) } })] }));
  t.ok(html.length < 25_000);
  t.match(html, /(long|words)…</);
});

t.test('days whose incidents do not fit are not shown as quiet', async (t) => {
  const resolvedAt = '2026-11-21T16:00:00.000Z';
  const past = Array.from({ length: 200 }, (_, at) =>
    makeEntry({ id: `past-${at}`, startedAt: `2026-11-${at < 150 ? 21 : 20}T10:00:00.000Z`, resolvedAt }),
  );
  const pastOf = (incidents: LedgerEntry[]) =>
    /Past incidents.*?See the whole history/.exec(readText(render(makeView({ incidents }))))?.[0];
  t.match(pastOf(past.slice(1)), /20 November .* 8 – 19 November No incidents/);
  t.match(pastOf(past), '20 November');
  t.notMatch(pastOf(past), 'No incidents');
  const open = past.map((entry) => ({ ...entry, resolvedAt: null }));
  t.notMatch(pastOf(open), /No (other )?incidents/);
  const since = past.map((entry, at) =>
    at === 0 ? { ...entry, startedAt: '2026-10-01T10:00:00.000Z' } : entry,
  );
  t.match(pastOf(since), /8 – 19 November No incidents/, 'all of them are shown');
});

t.test('services stand under the names of their groups, behind those without one', async (t) => {
  const headings = (view: StatusViewInput) =>
    [...render(view).matchAll(/<(h[34])[^>]*>([^<]*(?:Service \d|<b>|Shop)[^<]*)<\/h/g)].map(
      ([, level, text]) => `${level} ${text}`,
    );
  t.strictSame(headings(makeView()), ['h3 Service 1', 'h3 Service 2']);
  const shop = {
    id: 'g1',
    createdAt: '2026-11-01T00:00:00.000Z',
    slug: 'shop',
    name: 'Shop',
    names: { de: 'Laden' },
    collapsed: false,
  };
  const groups = [{ ...shop, services: ['service-1', 'gone'] }];
  t.strictSame(headings(makeView({ groups })), ['h3 Service 2', 'h3 Shop', 'h4 Service 1']);
  t.match(
    render(makeView({ groups })),
    /<details class="group" id="group-shop" open>.*<ul class="service-list \w+" aria-label="Shop">/,
  );
  const hostile = [{ ...shop, name: '<b>Shop', services: ['service-1'] }];
  t.match(render(makeView({ groups: hostile })), '&lt;b>Shop');
});
