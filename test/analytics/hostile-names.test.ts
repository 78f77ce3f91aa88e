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
    if (query.includes('kept_since')) return rows()(socket, query);
    if (!query.includes('AS percentiles')) return rows(...names.map((group) => ({ group })))(socket, query);
    collectGarbage();
    held.push(process.memoryUsage().heapUsed);
    const figures = { count: 2, errors: 1, clientErrors: 0, latencyCount: 1, latencySumUs: 1_000 };
    const answered = (slices[(held.length - 1) % slices.length] ?? []).flatMap((group) =>
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
  for (let round = 0; round < 2; round += 1) {
    const { series } = await loadRequests({ clickhouse: own.begin() }, newPageId(), query);
    t.strictSame(
      series.map(({ group }) => group),
      names,
    );
    t.ok(series.every(({ points }) => points.length === steps && points.every(({ count }) => count === 2)));
  }
  t.equal(held.length, 2 * slices.length);
  t.ok(slices.length > 3, 'several slices follow each other');
  const perRows = held.flatMap((bytes, index) => {
    const [before, answered] = [held[index - 1], slices[(index - 1) % slices.length]];
    // The very first answer also leaves compiled code behind; the first of each round follows a whole round.
    if (index === 1 || index % slices.length === 0 || before === undefined) return [];
    return [(bytes - before) / (steps * (answered?.length ?? 0))];
  });
  // The median: now and then the last 5 MB that this process sent are not free yet.
  const perRow = perRows.sort((a, b) => a - b)[Math.floor(perRows.length / 2)] ?? Number.NaN;
  t.ok(perRow < keptBytesPerRow, `${Math.round(perRow)} bytes are kept of each row`);
});
