import t from 'tap';
import { limits } from '../../../contract/limits.js';
import { makeSource } from '../../../ingest/names/names.js';
import type { ServiceVersion } from '../../../ingest/names/register-versions.js';
import { createVersionRegistry } from '../../../ingest/names/version-registry.js';
import { systemClock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/times.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
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
