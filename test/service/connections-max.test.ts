import t from 'tap';
import { connectionsMaxOf, readConnectionsMax } from '../../service/connections-max.js';

const gib = 1024 ** 3;

t.test('connections leave descriptors and memory to everything else', async (t) => {
  const roomy = { descriptors: 1_048_576, memoryBytes: 64 * gib, processes: 1 };
  t.equal(connectionsMaxOf(roomy), 20_000);
  t.equal(connectionsMaxOf({ ...roomy, descriptors: 1_024 }), 768, 'a quarter is left');
  t.equal(connectionsMaxOf({ ...roomy, descriptors: 20_000 }), 18_000, 'but no more than 2,000');
  t.equal(connectionsMaxOf({ ...roomy, descriptors: Number.POSITIVE_INFINITY }), 20_000);
  t.equal(connectionsMaxOf({ ...roomy, memoryBytes: 2 * gib }), 8_192, 'a quarter of the memory');
  t.equal(
    connectionsMaxOf({ ...roomy, memoryBytes: 2 * gib, processes: 4 }),
    2_048,
    'of which each has a part',
  );
});

t.test('this process has a bound', async (t) => {
  const connectionsMax = readConnectionsMax(1);
  t.ok(connectionsMax > 100 && connectionsMax <= 20_000, `${connectionsMax} connections`);
});
