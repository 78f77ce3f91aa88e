import t from 'tap';
import { loadInSlices, sliceNames } from '../../sql/slice-names.js';
import { leastCpuMsOf } from '../support/cpu-time.js';
import { openStores } from '../support/stores.js';

t.test('names that fit stay together, and no name is lost', async (t) => {
  t.strictSame(sliceNames([]), []);
  t.strictSame(sliceNames(['a', null, 200]), [['a', null, 200]]);
  const names = Array.from({ length: 2_200 }, (_, i) => `${i}-${'𝒳'.repeat(55)}`);
  const slices = sliceNames(names);
  t.strictSame(slices.flat(), names);
  t.equal(slices.length, 13);
  t.strictSame(sliceNames(['a'.repeat(200_000), 'b']), [['a'.repeat(200_000)], ['b']]);
});

t.test('names are sliced in a few milliseconds, whatever they are', async (t) => {
  const names = Array.from({ length: 2_200 }, (_, i) => `${i}${'€'.repeat(990)}`);
  sliceNames(names.slice(0, 100));
  const cpuMs = leastCpuMsOf(() => sliceNames(names));
  t.ok(cpuMs < 60, `${cpuMs} ms`);
});

t.test('a slice of any names is one that ClickHouse takes', async (t) => {
  const { clickhouse } = await openStores(t);
  const names = Array.from({ length: 500 }, (_, i) => `${i}${["'\\", '\t\n', '𝒳', 'a'][i % 4]?.repeat(100)}`);
  const slices = loadInSlices(names, async (slice) => {
    const answer = await clickhouse.query({
      query: 'SELECT arrayJoin({names:Array(String)}) AS name',
      query_params: { names: slice },
      format: 'JSONEachRow',
    });
    return answer.json<{ name: string }>();
  });
  const loaded: string[] = [];
  for await (const rows of slices) loaded.push(...rows.map(({ name }) => name));
  t.strictSame(loaded, names);
});
