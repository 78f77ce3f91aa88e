import t from 'tap';
import type { ShownService } from '../../contract/public/status-page.js';
import { describeEmbed } from '../../web/embed/embed-state.js';
import { overallState } from '../../web/state/page-state.js';
import { renderStatusView } from '../../web/views/status-view.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';
import { makeEntry, makeMaintenance, makeView, pageAssets, readText } from '../support/page-views.js';

const render = (view: StatusViewInput): string => renderStatusView(view, pageAssets);
const bannerOf = (view: StatusViewInput): string =>
  /<section class="overall.*?<\/section>/.exec(render(view))?.[0] ?? '';
const textOf = (view: StatusViewInput): string => readText(bannerOf(view)).trim();

/** A view of services with these names, each down since a time or, without one, since nobody knows when. */
function makeDown(services: Record<string, string | null>, fields: Partial<StatusViewInput> = {}) {
  const view = makeView(fields);
  const [first] = view.summary.services;
  if (first?.coverage === undefined) throw new Error('The view has no service.');
  const { coverage } = first;
  const down = Object.entries(services).map(
    ([name, stateSince]): ShownService => ({
      ...first,
      ...{ name, names: {}, slug: name.toLowerCase(), status: 'down' },
      coverage: { ...coverage, state: 'down', stateSince },
    }),
  );
  return { ...view, summary: { ...view.summary, services: [...down, first] } };
}

const since = '2026-11-21T15:05:00.000Z';
const checked = 'Last checked 16:29 UTC';

t.test('the banner names the service that is down, links to it, and says since when', async (t) => {
  const view = makeDown({ Search: since });
  t.equal(textOf(view), `Search is down , since 15:05 UTC ${checked}`);
  t.match(bannerOf(view), '<a href="#service-search" dir="auto">Search</a> is down</span>, since <time');
  t.match(bannerOf(view), `<time datetime="${since}" data-local="moment">15:05 UTC</time>`);
  t.match(
    render(view),
    '<meta name="description" content="Search is down, since 21 Nov 2026, 15:05 UTC · Last checked',
  );
  t.match(textOf(makeDown({ Search: '2026-11-20T15:05:00.000Z' })), 'since 20 Nov, 15:05 UTC', 'another day');
  t.equal(textOf(makeDown({ Search: null })), `Search is down ${checked}`);
  t.match(
    textOf(makeDown({ Search: since }, { language: 'ja' })),
    /Search が停止しています （ 15:05 UTC から）/,
  );
});

t.test('the banner leads to the incident, and says how far the work on it is', async (t) => {
  const updates = [
    {
      ...{ id: 'u1', status: 'identified' as const, body: { en: 'A disk is full.' } },
      createdAt: '2026-11-21T15:40:00.000Z',
    },
  ];
  const entry = makeEntry({ services: ['search'], updates });
  const view = makeDown({ Search: since }, { incidents: [entry] });
  t.equal(textOf(view), `Search is down , since 15:05 UTC Slow logins Identified 15:40 UTC ${checked}`);
  t.match(bannerOf(view), '<h1 id="overall"><span data-overall><a href="/en/incidents/entry-1" dir="auto">');
  t.match(bannerOf(view), '<time datetime="2026-11-21T15:40:00.000Z" data-local="ago">');
  t.match(
    textOf(makeDown({ Search: null }, { incidents: [entry] })),
    'Search is down , since 15:30 UTC',
    'since the incident began where monitoring does not know it',
  );
  t.equal(
    textOf(makeView({ incidents: [makeEntry()] })),
    `We are working on an incident Slow logins Ongoing since 15:30 UTC ${checked}`,
  );
});

t.test('two services are named, more are counted and listed', async (t) => {
  t.equal(
    textOf(makeDown({ Search: since, Checkout: null })),
    `Search and Checkout are down Search since 15:05 UTC Checkout ${checked}`,
  );
  t.equal(textOf(makeDown({ Search: null, Checkout: null })), `Search and Checkout are down ${checked}`);
  const three = makeDown({ A: since, B: since, C: null });
  t.equal(textOf(three), `3 of 4 services are down A since 15:05 UTC B since 15:05 UTC C ${checked}`);
  t.match(bannerOf(three), '<li><a href="#service-a" dir="auto">A</a> since <time');
  const many = Object.fromEntries([...'ABCDEFGHI'].map((name) => [name, since]));
  t.match(textOf(makeDown(many)), /^9 of 10 services are down .* F since 15:05 UTC and 3 more Last/);
});

t.test('a long name is cut, and a name is no markup', async (t) => {
  const name = `<b>${'long '.repeat(40)}`;
  const html = bannerOf(makeDown({ [name]: since }));
  t.match(html, /&lt;b>(long )+long…<\/a> is down/);
  t.match(textOf(makeDown({ '{0} {time}': since })), '{0} {time} is down');
});

t.test('maintenance has its planned end', async (t) => {
  const scheduledEndAt = '2026-11-21T18:00:00.000Z';
  t.equal(
    textOf(makeView({ incidents: [makeMaintenance({ scheduledEndAt })] })),
    `Maintenance is under way Slow logins until 18:00 UTC ${checked}`,
  );
  t.match(textOf(makeView({ incidents: [makeMaintenance()] })), 'Slow logins Under way');
});

t.test('the widget names the services as the page does', async (t) => {
  const { brand, summary, incidents } = makeDown({ Search: since, Checkout: null });
  const overall = overallState(summary, incidents);
  const sentenceIn = (language: string) => describeEmbed({ brand, language, overall, incidents }).sentence;
  t.equal(sentenceIn('en'), 'Search and Checkout are down');
  t.equal(sentenceIn('de'), 'Search und Checkout sind ausgefallen');
  t.equal(sentenceIn('pt'), 'Search and Checkout are down');
});
