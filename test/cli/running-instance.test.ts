import t from 'tap';
import { startStack } from '../../stack/start-stack.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { silentLog } from '../support/silent-log.js';
import { openTestPostgres } from '../support/stores.js';

t.test('a command uses the stores of the instance that runs on its data folder', async (t) => {
  const { sql, databaseUrl } = await openTestPostgres(t);
  await makePage(sql, { slug: 'acme' });
  const dataDir = t.testdir();
  const stack = await startStack({
    dataDir,
    databaseUrl,
    // Unavailable: a command does not open a store that it does not need.
    clickhouseUrl: 'http://127.0.0.1:1/none',
    database: 'heartline',
    readerTables: [],
    log: silentLog,
  });
  t.teardown(stack.stop);
  await stack.publish('http://127.0.0.1:18080');
  const { code, stdout, stderr } = await runInProcess(['page', 'list', '--json'], {
    HEARTLINE_DATA_DIR: dataDir,
  });
  t.same({ code, stderr }, { code: 0, stderr: '' });
  t.match(JSON.parse(stdout), { pages: [{ slug: 'acme', url: /:18080\/$/ }] });
});
