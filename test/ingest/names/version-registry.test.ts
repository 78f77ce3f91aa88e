import t, { type Test } from 'tap';
import { limits } from '../../../contract/limits.js';
import { noteSeenVersions } from '../../../control/deployments/index.js';
import { makeSource } from '../../../ingest/names/names.js';
import type { ServiceVersion } from '../../../ingest/names/register-versions.js';
import { createVersionRegistry } from '../../../ingest/names/version-registry.js';
import { systemClock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/times.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql, databaseUrl } = await openTestPostgres(t);
let pages = 0;

/** An instance of the service that has just started, and a page; `noted` has the new versions by question. */
async function start(clock = systemClock) {
  pages += 1;
  const { id: pageId } = await makePage(sql, { slug: `page-${pages}` });
  const base = makeSource(pageId, 'service', 'shop');
  const noted: string[][] = [];
  const noteVersions = async (_: unknown, __: unknown, versions: readonly ServiceVersion[]) => {
    noted.push(versions.map(({ version }) => version));
  };
  const registry = createVersionRegistry({ sql, clock, log: silentLog, noteVersions });
  const release = (version: string) => ({ version, environment: '' });
  return {
    noted,
    register: (...versions: string[]) =>
      registry.register(
        pageId,
        versions.map((version) => ({ base, service: 'shop', ...release(version) })),
      ),
    countsApart: (version: string) => registry.find(pageId, base, release(version))?.source !== undefined,
  };
}

t.test('versions of many bodies at a time are asked for together', async (t) => {
  const { noted, register, countsApart } = await start();
  await Promise.all(['1', '2', '2', '3', '2', '1'].map((version) => register(version)));
  t.strictSame(
    noted.map((versions) => versions.sort()),
    [['1'], ['2', '3']],
  );
  t.strictSame(['1', '2', '3', '4'].map(countsApart), [true, true, true, false]);
});

t.test('the first versions that wait get the room, and the silent ones make it', async (t) => {
  const clock = makeMovingClock();
  const { noted, register, countsApart } = await start(clock);
  const all = Array.from({ length: limits.versionsPerService + 1 }, (_, i) => `${i}`);
  await register(...all);
  t.strictSame(
    all.filter((version) => !countsApart(version)),
    [`${limits.versionsPerService}`],
  );
  clock.advance(16 * minuteMs);
  await register('new');
  t.ok(countsApart('new'));
  t.strictSame(noted.at(-1), ['new']);
});

t.test('of more versions than may wait, the last ones count for their service alone', async (t) => {
  const { register, countsApart } = await start();
  const first = register('first');
  const many = register(...Array.from({ length: 1_000 }, (_, i) => `${i}`));
  const late = register('late');
  t.notOk(countsApart('late'));
  await Promise.all([first, many, late]);
  t.ok(countsApart('first'));
  t.notOk(countsApart('late'));
});

/** Two instances with pools of their own, which note new versions as deployments. */
async function startTwo(t: Test) {
  pages += 1;
  const { id: pageId } = await makePage(sql, { slug: `page-${pages}` });
  const base = makeSource(pageId, 'service', 'shop');
  const instances = [1, 2].map(() => {
    const pool = openPostgres(databaseUrl);
    t.teardown(() => pool.end());
    const deps = { sql: pool, clock: systemClock, log: silentLog, noteVersions: noteSeenVersions };
    const registry = createVersionRegistry(deps);
    const release = (version: string) => ({ version, environment: '' });
    return {
      register: (...versions: string[]) =>
        registry.register(
          pageId,
          versions.map((version) => ({ base, service: 'shop', ...release(version) })),
        ),
      countsApart: (version: string) => registry.find(pageId, base, release(version))?.source !== undefined,
    };
  });
  const rowsOf = async (table: 'service_versions' | 'deployments') => {
    const rows = await sql<{ version: string }[]>`
      select version from ${sql(table)} where page_id = ${pageId} order by version`;
    return rows.map(({ version }) => version);
  };
  return { instances, rowsOf };
}

t.test(
  'two instances that ask at once for the last places of a service: 20 versions count apart',
  async (t) => {
    const { instances, rowsOf } = await startTwo(t);
    const [first, second] = instances as [(typeof instances)[0], (typeof instances)[0]];
    const places = limits.versionsPerService;
    await first.register(...Array.from({ length: places - 1 }, (_, i) => `before ${i}`));
    const wanted = Array.from({ length: 6 }, (_, i) => [`one ${i}`, `two ${i}`] as const);
    await Promise.all(wanted.map(([one, two]) => Promise.all([first.register(one), second.register(two)])));
    const taken = (await rowsOf('service_versions')).filter((version) => !version.startsWith('before'));
    t.equal(taken.length, 1);
    const apart = wanted.flatMap(([one, two]) => [
      ...(first.countsApart(one) ? [one] : []),
      ...(second.countsApart(two) ? [two] : []),
    ]);
    t.strictSame(apart, taken);
    t.equal((await rowsOf('deployments')).length, places, 'only what counts apart is a deployment');
  },
);

t.test('a version that two instances report at once is one deployment', async (t) => {
  const { instances, rowsOf } = await startTwo(t);
  await Promise.all(instances.flatMap(({ register }) => [register('2.4.1'), register('2.4.1', '2.4.2')]));
  t.ok(instances.every(({ countsApart }) => countsApart('2.4.1') && countsApart('2.4.2')));
  t.strictSame(await rowsOf('service_versions'), ['2.4.1', '2.4.2']);
  t.strictSame(await rowsOf('deployments'), ['2.4.1', '2.4.2']);
});
