import { join } from 'node:path';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { startPostgres } from '../../stack/postgres.js';
import { copyStore, postgresTemplate } from '../support/embedded-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { isAlive, recordingLog } from './support.js';

t.test('a killed PostgreSQL runs again at the same URL with its rows', async (t) => {
  const log = recordingLog();
  const dir = join(await temporaryFolder(t), 'postgres');
  copyStore(await postgresTemplate(), dir);
  const server = await startPostgres({ dir, log });
  t.teardown(() => server.stop());
  const sql = openPostgres(server.url, { max: 2 });
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`create table kept (n int)`;
  await sql`insert into kept select generate_series(1, 1000)`;

  const killed = server.pid;
  process.kill(killed, 'SIGKILL');
  await waitUntil('PostgreSQL runs again', () => server.pid !== killed);
  const sum = (): Promise<unknown> => sql`select sum(n)::int as sum from kept`.then(([row]) => row?.['sum']);
  await waitUntil('the client is connected again', () =>
    sum().then(
      () => true,
      () => false,
    ),
  );
  t.equal(await sum(), 500_500);
  t.match(log.lines, [
    { level: 'error', fields: { store: 'PostgreSQL', how: 'SIGKILL' } },
    { level: 'info', text: 'PostgreSQL runs again.' },
  ]);

  const last = server.pid;
  await server.stop();
  t.notOk(isAlive(last));
});
