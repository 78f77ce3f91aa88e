import { join } from 'node:path';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { startPostgres } from '../../stack/postgres.js';
import { copyStore, postgresTemplate } from '../support/embedded-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { asUser, recordingLog } from './support.js';

const dir = join(await temporaryFolder(t), 'postgres');
copyStore(await postgresTemplate(), dir);
const server = await startPostgres({ dir, log: recordingLog() });
t.teardown(() => server.stop());
const { password } = new URL(server.url);

async function tryLogin(url: string): Promise<unknown> {
  const sql = openPostgres(url, { max: 1 });
  try {
    return (await sql`select 1 as one`)[0];
  } finally {
    await sql.end({ timeout: 0 });
  }
}

t.test('the right user, password and database are accepted', async (t) => {
  t.strictSame(await tryLogin(server.url), { one: 1 });
});

t.test('anything else is refused', async (t) => {
  const refused = { code: '28P01', severity: 'FATAL' };
  await t.rejects(tryLogin(asUser(server.url, 'heartline', 'wrong')), refused);
  await t.rejects(tryLogin(asUser(server.url, 'heartline', `${password}x`)), refused);
  await t.rejects(tryLogin(asUser(server.url, 'postgres', password)), refused);
  await t.rejects(tryLogin(server.url.replace(/postgres$/, 'other')), { code: '3D000' });
});
