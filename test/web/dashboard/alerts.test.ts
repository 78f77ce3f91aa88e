import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import type { ManagedAlert } from '../../../contract/manage/alerts.js';
import { makeFormat } from '../../../web/dashboard/format.js';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { rangeAround } from '../../../web/dashboard/screens/alerts/one/course.js';
import { whyNobody } from '../../../web/dashboard/screens/alerts/one/notified.js';
import { sayAlert } from '../../../web/dashboard/screens/alerts/say.js';
import { endOf } from '../../../web/dashboard/screens/alerts/silence-end.js';
import { coveredBy, SilencesPanel } from '../../../web/dashboard/screens/alerts/silences.js';
import { alertsTexts } from '../../../web/dashboard/screens/alerts/texts.js';
import { saidByAlerts } from '../../../web/dashboard/screens/overview/said-by-alerts.js';
import { PageContext } from '../../../web/dashboard/session.js';
import { makeAlert } from '../../support/alerts.js';

const at = Date.parse('2026-11-29T20:00:00.000Z');
const minuteMs = 60_000;

t.test('an alert is said in the language of the reader, and in English without its condition', async (t) => {
  const en = sayAlert(alertsTexts.en, makeFormat('en'));
  const de = sayAlert(alertsTexts.de, makeFormat('de'));
  const shop = makeAlert({ subject: { service: 'shop', endpoint: '/pay' } });
  const slow = makeAlert({ value: 1_240 }, { kind: 'latency', condition: { percentile: 'p99' } });
  const down = makeAlert(
    { group: 'Web', value: null, threshold: null },
    { kind: 'monitor', condition: { is: 'down' } },
  );
  const certificate = makeAlert(
    { group: 'Web', value: 1, threshold: 14 },
    { kind: 'monitor', condition: null },
  );
  t.strictSame([shop, makeAlert(), slow, down, certificate].map(en.title), [
    '12.5% of the requests of /pay of shop fail',
    '12.5% of all requests fail',
    'p99 of all requests is 1.24 s',
    'Web is down',
    'The certificate of Web ends in 1 day',
  ]);
  t.equal(de.title(down), 'Web ist ausgefallen');
  t.equal(
    de.title(makeAlert({ value: null }, { kind: 'reporter', condition: null })),
    'In English',
    'its rule is gone',
  );
});

t.test(
  'a silence ends after its minutes, tomorrow at nine where the page is, or when somebody says',
  async (t) => {
    const end = (length: '60' | 'morning' | 'own', zone = 'UTC', endsAt = '') =>
      new Date(endOf({ length, endsAt }, zone, at)).toISOString();
    t.equal(end('60'), '2026-11-29T21:00:00.000Z');
    t.equal(end('morning', 'Europe/Berlin'), '2026-11-30T08:00:00.000Z');
    t.equal(end('morning', 'Pacific/Auckland'), '2026-11-30T20:00:00.000Z', 'it is the 30th there');
    t.equal(end('own', 'UTC', '2026-12-01T00:00:00.000Z'), '2026-12-01T00:00:00.000Z');
    t.ok(Number.isNaN(endOf({ length: 'own', endsAt: '' }, 'UTC', at)));
  },
);

t.test('a silence says what it covers', async (t) => {
  const words = { texts: alertsTexts.en, rules: [{ slug: 'checkout', name: 'Checkout fails' }] };
  const all = { rule: null, service: null, endpoint: null, severity: null };
  t.equal(coveredBy(all, words), 'Everything');
  t.equal(
    coveredBy({ rule: 'checkout', service: 'shop', endpoint: '/pay', severity: 'page' }, words),
    'Checkout fails · /pay of shop · Page',
  );
});

t.test('the course of an alert is an hour before it at least, and ends with it or a day later', async (t) => {
  const range = (fields: Partial<ManagedAlert>, now: number) => rangeAround(makeAlert(fields), now);
  t.match(range({}, at + 5 * minuteMs), { from: '2026-11-29T19:00:00.000Z', to: '2026-11-29T20:05:00.000Z' });
  t.match(range({}, at + 72 * 60 * minuteMs), { to: '2026-11-30T20:00:00.000Z' });
  const rule = { slug: 'x', name: 'X', kind: 'latency', condition: { windowMinutes: 60 } } as const;
  t.match(range({ rule }, at), { from: '2026-11-29T16:00:00.000Z' });
});

t.test('why nobody was told', async (t) => {
  const why = (fields: Partial<ManagedAlert>) => whyNobody(makeAlert(fields), alertsTexts.en);
  t.match(why({}), /yet/);
  t.match(why({ state: 'silenced' }), /silence/);
  t.match(why({ state: 'held', heldBy: 'Database' }), /while Database is in trouble/);
  t.equal(why({ toldAt: 'then', state: 'resolved' }), 'Nobody was told.');
});

t.test('the overview says nothing twice', async (t) => {
  const said = saidByAlerts({
    alerts: {
      count: 2,
      items: [
        makeAlert({ incidentId: 'i1' }),
        makeAlert({ subject: { monitor: 'web' }, threshold: null }, { kind: 'monitor' }),
        makeAlert({ subject: { monitor: 'shop' }, threshold: 14 }, { kind: 'monitor' }),
      ],
    },
  });
  t.strictSame(said, {
    ...{ monitors: new Set(['web']), incidents: new Set(['i1']), errors: true, reporters: false },
  });
});

const silence = {
  ...{ id: 's1', rule: null, service: 'shop', endpoint: null, severity: null, note: 'Known.' },
  ...{
    createdBy: 'Ann',
    createdAt: '2026-11-29T19:00:00.000Z',
    endsAt: '2999-01-01T00:00:00.000Z',
    isActive: true,
  },
};

t.test('silences that load, cannot be read, are none, and hold', async (t) => {
  const page = {
    slug: 'acme',
    name: 'Acme',
    role: 'viewer',
    alertThresholdPercent: null,
    may: () => false,
  } as const;
  const draw = (fields: object) => {
    const read = {
      ...{ data: undefined, error: undefined, at: undefined, asOf: undefined, isOlder: false },
      ...{ etag: undefined, retry: () => {}, take: () => {}, ...fields },
    };
    const panel = h(SilencesPanel, { read, rules: [], onEnd: () => {} });
    return renderToString(h(PageContext.Provider, { value: page, children: panel }));
  };
  t.match(draw({}), /aria-busy="true".*skeleton/);
  t.match(draw({ error: new ReadError(503, '') }), /role="alert".*Try again/);
  t.match(draw({ data: { items: [{ ...silence, isActive: false }] } }), /No silence holds/);
  const held = draw({ data: { items: [silence] } });
  t.match(held, /shop.*by Ann.*Known\..*ends in/s);
  t.match(held, /Only responders/, 'a viewer reads who may end it');
});
