import t from 'tap';
import { changeChannel } from '../../../control/channels/index.js';
import { createIncident, parseNewIncident } from '../../../control/incidents/index.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { insertReports } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const clock = makeStoppedClock();
// The first look of a minute looks at everything.
clock.advance(minuteMs - (clock.now() % minuteMs) + 20 * secondMs);
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const deps = { sql, clock, log: silentLog, by: testActor, secretKey: testSecretKey };
let pages = 0;

/** Looks at the rules a minute later, so that no message waits for the one before. */
async function look(): Promise<void> {
  clock.advance(minuteMs);
  await lookAtRules(jobDeps);
}

/** A page with a channel that hears of everything, or of some topics. */
async function makeTold(
  options: { topics?: string[]; quietHours?: { fromMinute: number; toMinute: number } } = {},
) {
  const { id: pageId } = await makePage(sql, { slug: `page-${++pages}` });
  const { id } = await makeChannel(deps, pageId, {
    settings: { url: 'https://hooks.example.com/' },
    ...options,
  });
  const told = async () => (await loadMessages(sql, id)).map(({ event, title }) => `${event}: ${title}`);
  return { pageId, slug: `page-${pages}`, channelId: id, told };
}

const textOf = async (channelId: string) => {
  const rows = await sql<{ text: string; facts: { name: string; value: string }[] }[]>`
    select message ->> 'text' as text, message -> 'facts' as facts from channel_messages
    where channel_id = ${channelId} order by seq`;
  return rows;
};
const setState = (slug: string, state: 'up' | 'down', error: string | null = null) => sql`
  update monitors set state = ${state}, state_since = ${new Date(clock.now())}, last_error = ${error}
  where slug = ${slug}`;

t.test('a monitor that goes down and comes up is told once each', async (t) => {
  const { pageId, told, channelId } = await makeTold();
  await insertMonitor(sql, { pageId, slug: 'api', url: 'https://api.example.com/health?token=secret' });
  await look();
  t.strictSame(await told(), []);
  await setState('api', 'down', 'status: The answer has the status 502.');
  await look();
  await look();
  t.strictSame(await told(), ['monitor.down: api is down']);
  clock.advance(12 * minuteMs);
  await setState('api', 'up');
  clock.advance(minuteMs);
  await Promise.all([lookAtRules(jobDeps), lookAtRules(jobDeps)]);
  t.strictSame(await told(), ['monitor.down: api is down', 'monitor.up: api is up again']);
  const [down, up] = await textOf(channelId);
  t.equal(down?.text, 'The answer has the status 502.');
  t.match(down?.facts, [{ name: 'Target', value: 'api.example.com' }, { name: 'Since' }]);
  t.strictSame(up?.facts, [{ name: 'Lasted', value: '15 minutes' }]);
  t.notMatch(JSON.stringify(await textOf(channelId)), /secret/, 'the query of a URL may be a secret');
});

t.test('a monitor that is paused, in maintenance or deleted is no longer watched', async (t) => {
  const { pageId, slug, told, channelId } = await makeTold({ topics: ['monitor'] });
  for (const name of ['paused', 'maintained', 'deleted']) {
    await insertMonitor(sql, { pageId, slug: `${name}-1` });
    await setState(`${name}-1`, 'down');
  }
  await look();
  t.equal((await told()).length, 3);
  await sql`update monitors set paused_at = ${new Date(clock.now())} where slug = 'paused-1'`;
  const maintenance = {
    ...{ type: 'maintenance', title: 'Updates', summary: 'Updates.', monitorSlugs: ['maintained-1'] },
    startedAt: new Date(clock.now() - minuteMs).toISOString(),
    scheduledEndAt: new Date(clock.now() + hourMs).toISOString(),
  };
  await createIncident({ sql, clock, by: testActor }, { pageId, input: parseNewIncident(maintenance) });
  await sql`delete from monitors where slug = 'deleted-1'`;
  await look();
  const ends = (await textOf(channelId)).slice(3).map(({ text }) => text);
  t.strictSame(ends.toSorted(), [
    'It was deleted while it was down.',
    'It was paused while it was down.',
    'Its maintenance began while it was down.',
  ]);
  await setPage({ sql, clock }, { slug, name: 'Acme' });
  await look();
  t.equal((await told()).length, 6, 'nothing is told again');
});

t.test('many that begin at once are told in one message, and are over when the last one is', async (t) => {
  const { pageId, told, channelId } = await makeTold();
  for (let at = 1; at <= 14; at += 1) {
    await insertMonitor(sql, { pageId, slug: `many-${String(at).padStart(2, '0')}` });
  }
  await sql`update monitors set state = 'down', state_since = ${new Date(clock.now())} where page_id = ${pageId}`;
  await look();
  t.strictSame(await told(), ['monitor.down: 14 monitors are down']);
  t.match((await textOf(channelId))[0]?.text, /^many-01, .*many-10 and 4 more$/);
  await sql`update monitors set state = 'up' where page_id = ${pageId} and slug <> 'many-14'`;
  await look();
  t.equal((await told()).length, 1, 'one is still down');
  await setState('many-14', 'up');
  await look();
  t.equal((await told())[1], 'monitor.up: None of the 14 monitors is down any more');
});

t.test('certificates are told of two weeks before they end', async (t) => {
  const { pageId, told } = await makeTold();
  await insertMonitor(sql, { pageId, slug: 'shop' });
  const ends = (days: number) => sql`
    update monitors set certificate_ends_at = ${new Date(clock.now() + days * dayMs + hourMs)} where slug = 'shop'`;
  await ends(15);
  await look();
  t.strictSame(await told(), []);
  await ends(13);
  await look();
  clock.advance(dayMs);
  await look();
  t.strictSame(await told(), ['certificate.ending: The certificate of shop ends in 13 days']);
  await ends(90);
  await look();
  t.equal((await told())[1], 'certificate.renewed: The certificate of shop is renewed');
});

t.test('a channel hears of its topics alone, and pages of their own trouble', async (t) => {
  const mine = await makeTold({ topics: ['certificate'] });
  const other = await makeTold();
  await insertMonitor(sql, { pageId: mine.pageId, slug: 'mine' });
  await setState('mine', 'down');
  await look();
  t.strictSame(await mine.told(), []);
  t.strictSame(await other.told(), []);
  await changeChannel(deps, { id: mine.channelId, topics: null });
  await look();
  t.strictSame(await mine.told(), ['monitor.down: mine is down'], 'what lasts and was not told is told now');
});

t.test('in quiet hours messages wait, and what is over by their end is not told at all', async (t) => {
  const minute = new Date(clock.now()).getUTCHours() * 60 + new Date(clock.now()).getUTCMinutes();
  const quietHours = { fromMinute: minute, toMinute: (minute + 120) % 1440 };
  const { pageId, told, channelId } = await makeTold({ quietHours });
  for (const slug of ['brief', 'lasting']) {
    await insertMonitor(sql, { pageId, slug });
    await setState(slug, 'down');
  }
  await look();
  t.strictSame(await told(), ['monitor.down: brief is down', 'monitor.down: lasting is down']);
  for (const { next_attempt_at: at } of await loadMessages(sql, channelId)) {
    t.ok(at.getTime() - clock.now() > hourMs && at.getTime() - clock.now() <= 2 * hourMs);
  }
  await setState('brief', 'up');
  await look();
  t.strictSame(await told(), ['monitor.down: lasting is down']);
  await changeChannel(deps, { id: channelId, quietHours: null });
  const [message] = await loadMessages(sql, channelId);
  t.equal(message?.next_attempt_at.getTime(), clock.now(), 'what was held is due when the hours are removed');
});

t.test('a reporter that falls silent is told, and reports again', async (t) => {
  const { pageId, told } = await makeTold({ topics: ['reporter'] });
  const report = () =>
    insertReports(clickhouse, pageId, { kind: 'reporter', service: 'eu-1' }, [clock.now()]);
  await sql`
    insert into sources (page_id, kind, source, name, expected_every_seconds, first_seen_at)
    values (${pageId}, 'reporter', 'eu-1', 'Frankfurt', 60, ${new Date(clock.now())})`;
  await report();
  await look();
  t.strictSame(await told(), []);
  clock.advance(10 * minuteMs);
  await look();
  await look();
  t.strictSame(await told(), ['reporter.silent: Frankfurt (eu-1) is silent']);
  await report();
  await look();
  t.strictSame((await told()).slice(1), ['reporter.back: Frankfurt (eu-1) reports again']);
});
