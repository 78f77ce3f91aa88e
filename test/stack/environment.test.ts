import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startStack } from '../../stack/start-stack.js';
import { recordingLog, usedDataFolder } from './support.js';

const skip = process.platform !== 'linux' && 'the environment of a process is a file on Linux only';

t.test('the processes of the stores get none of the secrets of the service', { skip }, async (t) => {
  const secrets = {
    HEARTLINE_SECRET_KEY: 'the secret key of the service',
    HEARTLINE_SMTP_URL: 'smtp://user:password@127.0.0.1',
    NODE_OPTIONS: '--max-old-space-size=4000',
  };
  t.intercept(process, 'env', { value: { ...process.env, ...secrets } });
  const dataDir = await usedDataFolder(t);
  const stack = await startStack({ dataDir, database: 'heartline', readerTables: [], log: recordingLog() });
  t.teardown(() => stack.stop());
  const given = { clickhouse: ['PATH', 'TZ'], postgres: ['LC_ALL', 'PATH', 'TZ'] };
  for (const [store, expected] of Object.entries(given)) {
    const { pid } = JSON.parse(await readFile(join(dataDir, store, 'process.json'), 'utf8'));
    const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean);
    const names = variables.map((variable) => variable.split('=', 1)[0] ?? '');
    // Node.js adds the channel to the parent, and measurements of coverage.
    t.strictSame(names.filter((name) => !name.startsWith('NODE_')).sort(), expected, store);
    for (const secret of Object.values(secrets)) {
      t.notOk(
        variables.some((variable) => variable.includes(secret)),
        `${store}: ${secret}`,
      );
    }
  }
});
