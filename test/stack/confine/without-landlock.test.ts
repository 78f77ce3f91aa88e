import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { hasLandlock } from './support.js';

const script = fileURLToPath(new URL('./without-landlock.js', import.meta.url));
const { EPERM, ENOSYS, EOPNOTSUPP } = constants.errno;
const skip = !hasLandlock() && 'only a kernel with Landlock can refuse it for one reason or another';

for (const { name, error, what, reason } of [
  {
    name: 'where the system lets no rule name a file',
    error: EPERM,
    what: 'naming files',
    reason: "it cannot be confined: EPERM: operation not permitted, open '{dir}/data'",
  },
  {
    name: 'in a container that forbids Landlock',
    error: EPERM,
    reason: 'a filter of system calls, such as that of a container, forbids Landlock',
  },
  { name: 'on a kernel without Landlock', error: ENOSYS, reason: 'this kernel has no Landlock' },
  {
    name: 'on a kernel with Landlock off',
    error: EOPNOTSUPP,
    reason: 'Landlock is switched off in this kernel',
  },
]) {
  t.test(`${name}, ClickHouse starts, and one line says that it is not confined`, { skip }, async (t) => {
    const dir = join(await temporaryFolder(t), 'clickhouse');
    const child = fork(script, [dir, String(error), what ?? 'Landlock']);
    const exited = once(child, 'exit');
    const [told] = await once(child, 'message', { signal: AbortSignal.timeout(90_000) });
    await exited;
    t.strictSame(told, {
      answer: { status: 200, text: '1' },
      lines: [
        {
          level: 'warn',
          fields: { store: 'ClickHouse', reason: reason.replace('{dir}', dir) },
          text: 'ClickHouse is not confined to its folder; only the checks of the service keep SQL from other files.',
        },
      ],
    });
  });
}
