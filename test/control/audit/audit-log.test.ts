import { readFile } from 'node:fs/promises';
import t from 'tap';
import { pruneAuditLog } from '../../../control/audit/index.js';
import { systemClock } from '../../../lib/clock.js';
import { newId } from '../../../lib/ids.js';
import { dayMs } from '../../../lib/times.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);

async function insertRow(ageDays: number): Promise<void> {
  const at = Date.now() - ageDays * dayMs;
  const row = {
    ...{ id: newId(at), at: new Date(at), actor_type: 'cli', actor_id: 'cli', actor_name: 'test' },
    ...{ action: 'page.update', target_type: 'page', target_id: 'x', target_name: String(ageDays) },
  };
  await sql`insert into audit_log ${sql(row)}`;
}

t.test('rows go after 400 days', async (t) => {
  for (const age of [0, 398, 399.5, 401, 500]) await insertRow(age);
  await pruneAuditLog({ sql, clock: systemClock, log: silentLog });
  const rows = await sql`select target_name from audit_log order by at desc`;
  t.strictSame(
    rows.map((row) => row['target_name']),
    ['0', '398', '399.5'],
  );
});

t.test('younger rows can be neither deleted nor changed', async (t) => {
  const message = /can only be appended to/;
  await t.rejects(sql`delete from audit_log where target_name = '398'`.execute(), { message });
  await t.rejects(sql`update audit_log set actor_name = 'somebody else'`.execute(), { message });
  await t.rejects(sql`truncate audit_log`.execute(), { message });
  await t.rejects(
    pruneAuditLog({ sql, clock: { now: () => Date.now() + 10 * dayMs }, log: silentLog }),
    { message },
    'a clock that is wrong loses nothing',
  );
});

t.test(
  'a service that is no superuser has no right to change rows, and may still write and prune',
  async (t) => {
    const migration = await readFile('sql/postgres/0048_audit_grants.sql', 'utf8');
    const rollback = new Error('roll back');
    const work = sql.begin(async (tx) => {
      await tx`create role audit_owner`;
      await tx`grant create, usage on schema public to audit_owner`;
      await tx`alter table audit_log owner to audit_owner`;
      await tx`set local role audit_owner`;
      await tx.unsafe(migration);
      const refused = [`update audit_log set actor_name = 'x'`, 'truncate audit_log'];
      for (const statement of refused) {
        const attempt = tx.savepoint((inner) => inner.unsafe(statement));
        await t.rejects(attempt, { message: /permission denied/ }, statement);
      }
      const at = new Date(Date.now() - 500 * dayMs);
      const row = {
        ...{ id: newId(at.getTime()), at, actor_type: 'cli', actor_id: 'cli', actor_name: 'test' },
        ...{ action: 'page.update', target_type: 'page', target_id: 'x', target_name: 'old' },
      };
      await tx`insert into audit_log ${tx(row)}`;
      t.equal((await tx`delete from audit_log where target_name = 'old'`).count, 1);
      throw rollback;
    });
    await t.rejects(work, rollback);
  },
);
