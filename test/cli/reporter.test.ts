import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';

const stores = await openStores(t);
const { sql } = stores;
const { id: pageId } = await makePage(sql);
const env = environmentFor(stores);
const run = (...args: string[]) => runInProcess(['reporter', ...args, '--page', 'acme'], env);

t.test('a reporter is forgotten once, until it reports again', async (t) => {
  await sql`
    insert into sources (page_id, kind, source, name, first_seen_at)
    values (${pageId}, 'reporter', 'eu-1', 'Shop', now()), (${pageId}, 'service', 'shop', null, now())`;
  t.same(await run('forget', 'eu-1'), {
    ...{ code: 0, stdout: 'eu-1 is forgotten until it reports again.\n', stderr: '' },
  });
  t.match(await run('forget', 'eu-1'), { code: 1, stderr: /The page has no reporter "eu-1"\./ });
  t.match(await run('forget', 'shop'), { code: 1 });
  t.match(await run('forget', 'shop', '--kind', 'service', '--json'), {
    ...{ code: 0, stdout: '{"kind":"service","id":"shop"}\n' },
  });
  const rows =
    await sql`select actor_type, target_id from audit_log where action = 'reporter.forget' order by id`;
  t.same(
    [...rows],
    [
      { actor_type: 'cli', target_id: 'eu-1' },
      { actor_type: 'cli', target_id: 'shop' },
    ],
  );
});
