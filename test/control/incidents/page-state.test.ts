import t from 'tap';
import type { DeclaredState, Impact } from '../../../contract/public/service-states.js';
import { createIncident, loadPageStandings, parseNewIncident } from '../../../control/incidents/index.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { outage } from '../../support/incidents.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const time = (minutes: number) => new Date(clock.now() + minutes * minuteMs).toISOString();

type Seen = 'up' | 'down' | 'slow' | 'new' | 'paused' | 'hidden';
type News = {
  type?: 'maintenance';
  impact?: Impact;
  serviceStates?: Readonly<Record<string, DeclaredState>>;
  monitorSlugs?: readonly string[];
  startedAt?: string;
  scheduledEndAt?: string;
};
let pages = 0;

/** How a page stands whose monitors, called a, b and so on, were seen like this. */
async function standing(seen: readonly Seen[], ...news: News[]) {
  pages += 1;
  const { id } = await makePage(sql, { slug: `page-${pages}` });
  for (const [at, one] of seen.entries()) {
    const monitorId = await insertMonitor(sql, { pageId: id, slug: 'abcdef'.charAt(at) });
    const state = { up: 'up', slow: 'up', down: 'down', hidden: 'down', new: null, paused: 'down' }[one];
    await sql`
      update monitors set hidden = ${one === 'hidden'}, state = ${state}, state_since = ${state === null ? null : time(-60)},
        degraded_since = ${one === 'slow' ? time(-10) : null}, paused_at = ${one === 'paused' ? time(-5) : null}
      where id = ${monitorId}`;
  }
  for (const fields of news) {
    const input = parseNewIncident({ ...outage, monitorSlugs: [], startedAt: time(-30), ...fields });
    await createIncident(deps, { pageId: id, input });
  }
  const found = (await loadPageStandings(deps, [id])).get(id);
  return [found?.state, found?.affected, found?.services, found?.openIncidents];
}

t.test('a page stands as its readers see it', async (t) => {
  const running = { type: 'maintenance', scheduledEndAt: time(30) } as const;
  for (const [given, expected] of [
    [standing([]), ['unknown', 0, 0, 0]],
    [standing(['new', 'paused']), ['unknown', 2, 2, 0]],
    [standing(['up', 'new', 'paused', 'hidden']), ['operational', 1, 3, 0]],
    [standing(['up', 'slow']), ['degraded', 1, 2, 0]],
    [standing(['up', 'slow', 'down', 'down']), ['major_outage', 2, 4, 0]],
    // The announced state.
    [standing(['up'], {}), ['degraded', 0, 1, 1]],
    [standing(['up', 'up'], { impact: 'major', monitorSlugs: ['a'] }, {}), ['partial_outage', 1, 2, 2]],
    [
      standing(['up', 'up'], {
        impact: 'critical',
        monitorSlugs: ['a', 'b'],
        serviceStates: { a: 'operational' },
      }),
      ['major_outage', 1, 2, 1],
    ],
    [standing(['down', 'up'], { ...running, monitorSlugs: ['a'] }), ['maintenance', 1, 2, 0]],
    [standing(['up'], { ...running, startedAt: time(10) }), ['operational', 1, 1, 0]],
  ] as const) {
    t.strictSame(await given, expected);
  }
});

t.test('many pages are asked for at once, and a page that is not asked for says nothing', async (t) => {
  const ids = (await sql<{ id: Awaited<ReturnType<typeof makePage>>['id'] }[]>`select id from pages`).map(
    ({ id }) => id,
  );
  t.equal((await loadPageStandings(deps, ids)).size, ids.length);
  t.strictSame([...(await loadPageStandings(deps, ids.slice(0, 1))).keys()], ids.slice(0, 1));
});
