import fc from 'fast-check';
import t from 'tap';
import { declaredStates, impacts, serviceStates } from '../../contract/public/service-states.js';
import type { CurrentIncident, ShownService } from '../../contract/public/status-page.js';
import { freshnesses, knownStates } from '../../contract/public/summary.js';
import { impactTexts } from '../../web/dashboard/screens/incidents/impact-texts.js';
import { inGroups } from '../../web/state/groups.js';
import { overallState, publicStateOfPage } from '../../web/state/page-state.js';
import { collectNews, groupState, publicStateOf, standingOf } from '../../web/state/service-state.js';
import { languagesOf } from '../../web/texts/areas.js';
import { textsOf } from '../../web/texts/texts-of.js';
import { makeEntry, makeMaintenance, makeView } from '../support/page-views.js';
import { propertyOf } from '../support/property.js';

const [example] = makeView().summary.services;
if (example?.coverage === undefined) throw new Error('The view has no service.');
const { coverage } = example;

const makeService = (slug: string, fields: Partial<ShownService> = {}): ShownService => ({
  ...example,
  ...{ slug, name: slug, names: {}, status: 'up', ...fields },
});
const down = { status: 'down', coverage: { ...coverage, state: 'down' } } as const;
const slow = { degradedSince: '2026-11-21T15:00:00.000Z' };
const stateOf = (service: ShownService, entries: readonly CurrentIncident[]) =>
  standingOf(service, collectNews(entries));

t.test('what a monitor sees', async (t) => {
  const seen = (fields: Partial<ShownService>) =>
    publicStateOf(stateOf(makeService('api', fields), []).state);
  t.equal(seen({}), 'operational');
  t.equal(seen(slow), 'degraded');
  t.equal(seen(down), 'major_outage');
  t.equal(seen({ ...down, ...slow }), 'major_outage', 'down is worse than slow');
  t.equal(seen({ coverage: { ...coverage, state: 'unknown' } }), 'unknown');
  t.equal(seen({ coverage: { ...coverage, freshness: 'paused' } }), 'unknown');
  t.equal(
    seen({ ...slow, coverage: { ...coverage, freshness: 'stale' } }),
    'unknown',
    'an old check says nothing',
  );
});

t.test('the worse of monitor and incident shows, with its reason', async (t) => {
  const incident = makeEntry({ id: 'one', services: ['api'], serviceStates: { api: 'partial_outage' } });
  const cases = [
    [{}, 'partial', 'incident'],
    [slow, 'partial', 'incident'],
    [down, 'down', 'monitor'],
  ] as const;
  for (const [fields, state, kind] of cases) {
    const standing = stateOf(makeService('api', fields), [incident]);
    t.match(standing, { state, reason: { kind } });
  }
  const resolved = { ...incident, resolvedAt: '2026-11-21T16:00:00.000Z' };
  t.match(stateOf(makeService('api'), [resolved]), { state: 'up', reason: { kind: 'monitor' } });
  const worse = makeEntry({ id: 'two', services: ['api'], impact: 'critical' });
  t.match(stateOf(makeService('api'), [incident, worse]), {
    state: 'down',
    reason: { entry: { id: 'two' } },
  });
  t.match(stateOf(makeService('other'), [incident, worse]), { state: 'up' }, 'it names the other one');
});

t.test('the impact speaks for services of which the incident says nothing itself', async (t) => {
  const states = impacts.map((impact) => {
    const incident = makeEntry({ services: ['api', 'web'], impact, serviceStates: { web: 'operational' } });
    t.equal(stateOf(makeService('web'), [incident]).state, 'up', impact);
    return publicStateOf(stateOf(makeService('api'), [incident]).state);
  });
  t.strictSame(states, ['operational', 'degraded', 'partial_outage', 'major_outage']);
  const silent = makeEntry({ services: ['api'] });
  t.equal(stateOf(makeService('api'), [silent]).state, 'up', 'an incident that says nothing changes nothing');
});

t.test('maintenance explains what the monitor sees, and not what an incident says', async (t) => {
  const maintenance = makeMaintenance({ services: ['api'] });
  for (const fields of [{}, slow, down]) {
    t.match(stateOf(makeService('api', fields), [maintenance]), {
      state: 'maintenance',
      reason: { kind: 'maintenance' },
    });
  }
  const incident = makeEntry({ services: ['api'], impact: 'minor' });
  t.match(stateOf(makeService('api', down), [maintenance, incident]), {
    state: 'degraded',
    reason: { kind: 'incident' },
  });
  const planned = { ...maintenance, maintenanceState: 'scheduled' as const };
  t.match(stateOf(makeService('api', slow), [planned]), { state: 'degraded', reason: { kind: 'monitor' } });
});

const slugs = ['a', 'b', 'c', 'd'];
const services = fc.tuple(
  ...slugs.map((slug) =>
    fc
      .record({
        status: fc.constantFrom('up' as const, 'down' as const),
        state: fc.constantFrom(...knownStates),
        freshness: fc.constantFrom(...freshnesses),
        isSlow: fc.boolean(),
        observedMs: fc.nat(1_000_000),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      })
      .map(({ status, state, freshness, isSlow, observedMs, share }) =>
        makeService(slug, {
          ...{ status, coverage: { ...coverage, state, freshness } },
          ...(isSlow && slow),
          observed: { observedMs, upMs: Math.floor(observedMs * share) },
        }),
      ),
  ),
);
const incident = fc
  .record(
    {
      services: fc.subarray(slugs),
      impact: fc.constantFrom(...impacts),
      serviceStates: fc.dictionary(fc.constantFrom(...slugs), fc.constantFrom(...declaredStates)),
    },
    { requiredKeys: ['services'] },
  )
  .map((fields) => makeEntry(fields));
const maintenance = fc.subarray(slugs).map((services) => makeMaintenance({ services }));
const entries = fc.array(fc.oneof(incident, maintenance), { maxLength: 5 });
/** From good to bad, as visitors read it; what is not known is between. */
const order = ['operational', 'unknown', 'maintenance', 'degraded', 'partial_outage', 'major_outage'];
const partly = order.indexOf('partial_outage');
const rankOf = (service: ShownService, some: readonly CurrentIncident[]) =>
  order.indexOf(publicStateOf(stateOf(service, some).state));

t.test(
  'property: a further incident never makes a state better, and the order of entries says nothing',
  async () => {
    fc.assert(
      fc.property(services, entries, incident, (all, some, more) =>
        all.every((service) => {
          const rank = rankOf(service, some);
          return (
            rankOf(service, [...some, more]) >= rank &&
            rankOf(service, [...some].reverse()) === rank &&
            rankOf(service, [...some, { ...more, resolvedAt: '2026-11-21T16:00:00.000Z' }]) === rank
          );
        }),
      ),
      propertyOf(t, { few: 50, many: 1_000 }),
    );
  },
);

t.test('property: a state has the reason that says it', async () => {
  fc.assert(
    fc.property(services, entries, (all, some) =>
      all.every((service) => {
        const { state, reason } = stateOf(service, some);
        if (reason.kind === 'monitor') return stateOf(service, []).state === state;
        return stateOf(makeService(service.slug), [reason.entry]).state === state;
      }),
    ),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('a group of which one service is down is partly down, in the same words everywhere', async (t) => {
  for (const [states, expected] of [
    [['up', 'down', 'up'], 'partial'],
    [['degraded', 'down'], 'partial'],
    [['maintenance', 'down'], 'partial'],
    [['down', 'down'], 'down'],
    [['down'], 'down'],
    // A service that nobody checks says nothing of the rest.
    [['paused', 'down', 'stale', 'unknown', 'waiting'], 'down'],
    [['up', 'partial'], 'partial'],
    [['up', 'degraded'], 'degraded'],
    [['paused', 'up'], 'paused'],
    [[], 'unknown'],
  ] as const) {
    t.equal(groupState(states), expected, states.join());
  }
  for (const language of languagesOf.view) {
    const { serviceState, overall } = textsOf('view', language);
    const word = serviceState.partial.toLowerCase();
    const stem = language === 'ja' ? '一部' : (word.split(' ')[0] ?? '');
    for (const sentence of [
      overall.partial.some({ count: 2, total: 3 }),
      overall.partial.named({ names: 'X', count: 1 }),
    ]) {
      t.ok(sentence.includes(stem), `${language}: ${sentence} has ${stem}`);
    }
  }
  for (const language of ['en', 'de'] as const) {
    const word = textsOf('view', language).serviceState.partial;
    t.equal(impactTexts[language].states.partial_outage, word.toLowerCase(), 'the dashboard has the same');
  }
});

t.test('property: a group is as bad as its worst service, a page as the worst of all', async () => {
  fc.assert(
    fc.property(services, entries, fc.subarray(slugs), (all, some, grouped) => {
      const news = collectNews(some);
      const group = {
        id: 'g',
        createdAt: '',
        slug: 'g',
        name: 'G',
        names: {},
        collapsed: false,
        services: grouped,
      };
      const parts = inGroups(all, [group], news);
      const placed = parts.flatMap((part) => part.services);
      if (placed.length !== slugs.length) return false;
      const isWorst = parts.every(
        (part) =>
          groupState(part.services.map(({ standing }) => standing.state)) === part.state &&
          part.services.every(
            ({ service }) =>
              Math.min(rankOf(service, some), partly) <= order.indexOf(publicStateOf(part.state)),
          ),
      );
      const page = order.indexOf(publicStateOfPage(overallState({ services: all }, some)));
      const worst = Math.max(...all.map((service) => rankOf(service, some)));
      // Below maintenance, a page words how much it knows, and says more than "unknown" when something is up.
      return isWorst && (worst <= 1 ? page <= 3 : page >= worst);
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test(
  'property: uptime comes from the checks, whatever is announced, and a group is between its services',
  async () => {
    fc.assert(
      fc.property(services, entries, (all, some) => {
        const group = {
          id: 'g',
          createdAt: '',
          slug: 'g',
          name: 'G',
          names: {},
          collapsed: false,
          services: slugs,
        };
        const [part] = inGroups(all, [group], collectNews(some));
        const [quiet] = inGroups(all, [group], collectNews([]));
        const each = all.flatMap(({ observed }) =>
          observed === undefined || observed.observedMs === 0 ? [] : [observed.upMs / observed.observedMs],
        );
        if (part?.uptime !== quiet?.uptime) return false;
        if (each.length === 0) return part?.uptime === 'N/A';
        const joint = Number.parseFloat(part?.uptime ?? '');
        return joint >= Math.min(...each) * 100 - 0.011 && joint <= Math.max(...each) * 100 + 1e-9;
      }),
      propertyOf(t, { few: 50, many: 1_000 }),
    );
  },
);

t.test('every state has a place in the order', async (t) => {
  t.strictSame([...order].sort(), [...serviceStates].sort());
});
