import { randomUUID } from 'node:crypto';
import t from 'tap';
import { migratePostgres } from '../../sql/migrate.js';
import { loadMigrations } from '../../sql/migration-files.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyPostgres } from '../support/stores.js';

const { sql } = await openEmptyPostgres(t);

/** Writes as an instance of the version before does. */
async function addUser(email: string): Promise<void> {
  await sql`insert into users (id, email, name, created_at) values (${randomUUID()}, ${email}, 'Ann', now())`;
}

t.test(
  'accounts of the version before are proven, and so are those that its instances make later',
  async (t) => {
    const files = await loadMigrations('postgres');
    const { number } = files.find(({ name }) => name.includes('proven_emails')) ?? {};
    if (number === undefined) throw new Error('There is no migration of this name.');
    await migratePostgres({ sql, log: silentLog, upTo: number - 1 });
    await addUser('before@example.com');
    await migratePostgres({ sql, log: silentLog });
    await addUser('beside@example.com');
    const rows = await sql`select email, email_proven_at is not null as "isProven" from users order by email`;
    t.same(
      [...rows],
      [
        { email: 'before@example.com', isProven: true },
        { email: 'beside@example.com', isProven: true },
      ],
    );
  },
);
