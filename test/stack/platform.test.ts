import t from 'tap';
import { assertEmbeddable } from '../../stack/clickhouse-engine.js';

t.test('platforms that the engine is built for', async (t) => {
  for (const platform of ['linux', 'darwin']) {
    for (const architecture of ['x64', 'arm64'])
      t.doesNotThrow(() => assertEmbeddable(platform, architecture));
  }
});

t.test('other platforms are told to use a server', async (t) => {
  const refusal = {
    name: 'StackError',
    message: /does not run on .*; set CLICKHOUSE_URL to use a server\.$/,
  };
  t.throws(() => assertEmbeddable('win32', 'x64'), refusal);
  t.throws(() => assertEmbeddable('linux', 'riscv64'), refusal);
});
