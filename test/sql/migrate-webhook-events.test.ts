import { randomUUID } from 'node:crypto';
import t from 'tap';
import { changeWebhook, listWebhooks } from '../../control/webhooks/index.js';
import { systemClock } from '../../lib/clock.js';
import { type PageId, parseId } from '../../lib/ids.js';
import { migratePostgres } from '../../sql/migrate.js';
import { loadMigrations } from '../../sql/migration-files.js';
import { testActor } from '../support/actor.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyPostgres } from '../support/stores.js';

const { sql } = await openEmptyPostgres(t);
const clock = makeStoppedClock();
const at = new Date(clock.now());
const [pageId, accountId, subscriberId] = [randomUUID(), randomUUID(), randomUUID()];

/** Writes as an instance of the version before does, before the migration and beside it. */
async function writeAsBefore(): Promise<string> {
  const webhookId = randomUUID();
  await sql`
    insert into webhooks (id, page_id, url, secret, created_at)
    values (${webhookId}, ${pageId}, 'https://hooks.example/', '\\x00', ${at})`;
  await sql`
    insert into webhook_deliveries (id, page_id, webhook_id, queue, kind, body, attempts, next_attempt_at, created_at)
    values (${randomUUID()}, ${pageId}, ${webhookId}, ${randomUUID()}, 'webhook.test', '{}', 5, ${at}, ${at})`;
  await sql`
    insert into emails (id, page_id, subscriber_id, kind, next_attempt_at, created_at)
    values (${randomUUID()}, ${pageId}, ${subscriberId}, 'confirmation', ${at}, ${at})`;
  return webhookId;
}

t.test('webhooks of the version before get every event, and its instances go on writing', async (t) => {
  await sql`
    create table migrations (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`;
  for (const file of await loadMigrations('postgres')) {
    if (file.number > 28) continue;
    const { number, name, checksum } = file;
    await sql.unsafe(file.text);
    await sql`insert into migrations ${sql({ number, name, checksum })}`;
  }
  await sql`insert into accounts (id, name, created_at) values (${accountId}, 'Acme', ${at})`;
  await sql`
    insert into pages (id, account_id, slug, hostname, name, languages, default_language, history_days, created_at)
    values (${pageId}, ${accountId}, 'acme', 'acme.localhost', 'Acme', '{en}', 'en', 90, ${at})`;
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    values (${subscriberId}, ${pageId}, 'ann@example.com', 'en', ${at}, ${at})`;
  const before = await writeAsBefore();
  await migratePostgres({ sql, log: silentLog });
  const beside = await writeAsBefore();

  const page = parseId<PageId>(pageId);
  if (page === undefined) throw new Error('It is an id.');
  const webhooks = await listWebhooks({ sql }, { pageId: page });
  t.strictSame(
    new Map(webhooks.map(({ id, events }) => [String(id), events])),
    new Map([
      [before, null],
      [beside, null],
    ]),
  );
  t.match(
    await changeWebhook({ sql, clock: systemClock, by: testActor }, { id: before, events: ['incident.*'] }),
    {
      events: ['incident.*'],
    },
  );
  const deliveries = await sql`select state, attempts from webhook_deliveries`;
  t.same([...deliveries], Array(2).fill({ state: 'pending', attempts: 5 }), 'pending ones stay as they are');
  const emails = await sql`select kind, recipient, notice from emails`;
  t.same([...emails], Array(2).fill({ kind: 'confirmation', recipient: null, notice: null }));
  const [owned] = await sql`select owner_emails from pages`;
  t.same(owned, { owner_emails: [] });
});
