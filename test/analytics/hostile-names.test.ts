import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { loadRequests, parseRequestsQuery } from '../../analytics/requests.js';
import { minuteMs } from '../../lib/times.js';
import { sliceNames } from '../../sql/slice-names.js';
import { rows, silence, startHostileStore } from '../support/hostile-store.js';
import { openOwn } from '../support/own-store.js';
import { newPageId } from './support.js';

setFlagsFromString('--expose_gc');
const collectGarbage: () => void = runInNewContext('gc');
const steps = 150;
/** A point has about 200 bytes, and the name of each row 500. */
const keptBytesPerRow = 400;

t.test('rows of a store leave their figures behind, not their names', async (t) => {
  const store = await startHostileStore(t, silence);
  const own = openOwn(t, store, { sessionMs: 60_000 });
  const to = Date.UTC(2026, 0, 31, 12);
  const from = to - steps * minuteMs;
  const names = Array.from({ length: 200 }, (_, i) => `${i}${'€'.repeat(240)}`);
  const slices = sliceNames(names);
  const held: number[] = [];
  store.behave = (socket, query) => {
    if (!query.includes('AS percentiles')) return rows(...names.map((group) => ({ group })))(socket, query);
    collectGarbage();
    held.push(process.memoryUsage().heapUsed);
    const figures = { count: 2, errors: 1, clientErrors: 0, latencyCount: 1, latencySumUs: 1_000 };
    const answered = (slices[held.length - 1] ?? []).flatMap((group) =>
      Array.from({ length: steps }, (_, i) => ({
        ...{ group, step: from / minuteMs + i, ...figures, percentiles: [1, 2, 3] },
      })),
    );
    rows(...answered)(socket, query);
  };
  const query = parseRequestsQuery(
    {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...{ step: '60', groupBy: 'service', limit: '200' },
    },
    to,
  );
  const { series } = await loadRequests({ clickhouse: own.begin() }, newPageId(), query);
  t.strictSame(
    series.map(({ group }) => group),
    names,
  );
  t.ok(series.every(({ points }) => points.length === steps && points.every(({ count }) => count === 2)));
  t.equal(held.length, slices.length);
  t.ok(slices.length > 3, 'several slices follow each other');
  // The first answer also leaves compiled code behind.
  const rowsBetween = steps * slices.slice(1, -1).flat().length;
  const perRow = ((held.at(-1) ?? 0) - (held[1] ?? 0)) / rowsBetween;
  t.ok(perRow < keptBytesPerRow, `${Math.round(perRow)} bytes are kept of each row`);
});
