import { createHash, randomBytes, randomUUID } from 'node:crypto';
import t from 'tap';
import { claimTranslations } from '../../control/translations/queue.js';
import { replayWebhookDelivery } from '../../control/webhooks/index.js';
import { newId, type WebhookId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { migratePostgres } from '../../sql/migrate.js';
import { loadMigrations } from '../../sql/migration-files.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { startReceiver } from '../support/receiver.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { startTestLoop } from '../support/webhooks.js';

const { sql } = await openEmptyPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const at = new Date(clock.now());
const [pageId, incidentId] = [randomUUID(), randomUUID()];
const text = randomBytes(15_000).toString('base64');

/** Brings the database to the schema before announcements referred to texts. */
async function migrateTo25(sql: Sql): Promise<void> {
  await sql`
    create table migrations (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`;
  for (const file of await loadMigrations('postgres')) {
    if (file.number > 25) continue;
    const { number, name, checksum } = file;
    await sql.unsafe(file.text);
    await sql`insert into migrations ${sql({ number, name, checksum })}`;
  }
}

/** Stores an announcement as that version did: the whole entry. */
async function announceWithEntry(title: string): Promise<{ id: string; seq: bigint; body: string }> {
  const id = randomUUID();
  const entry = {
    id: incidentId,
    type: 'incident',
    title: { en: title },
    summary: { en: text },
    updates: [],
  };
  const [row] = await sql<{ seq: bigint; entry: object }[]>`
    insert into announcements (id, page_id, incident_id, kind, entry, created_at, emails_queued_at)
    values (${id}, ${pageId}, ${incidentId}, 'incident.updated', ${sql.json(entry)}, ${at}, ${at})
    returning seq, entry`;
  const body = JSON.stringify({ type: 'incident.updated', timestamp: at.toISOString(), data: row?.entry });
  return { id, seq: row?.seq ?? 0n, body };
}

const deliver = (webhookId: string, announced: { id: string; seq: bigint } | null, fields: object) => {
  const id = randomUUID();
  const row = {
    ...{ id, page_id: pageId, webhook_id: webhookId, kind: 'incident.updated', created_at: at },
    ...{ announcement_id: announced?.id ?? null, seq: announced?.seq ?? null, next_attempt_at: at },
    ...{ queue: announced === null ? id : incidentId, ...fields },
  };
  return sql<{ id: string }[]>`insert into webhook_deliveries ${sql(row)} returning id`;
};

const hashOf = (text: string) => createHash('sha256').update(text).digest();

const translate = async (language: string, fields: object = {}, tx: Sql | Transaction = sql) => {
  const row = {
    ...{ page_id: pageId, source_hash: hashOf(text), source_language: 'en' },
    ...{ language, source_text: text, next_attempt_at: at, created_at: at, ...fields },
  };
  await tx`insert into translations ${tx(row)}`;
};

/** Migrates while an instance writes: its transaction commits when the migration waits for it. */
async function migrateDuring(write: (tx: Transaction) => Promise<void>): Promise<void> {
  const { migrated } = await inTransaction(sql, async (tx) => {
    await write(tx);
    const migrated = migratePostgres({ sql, log: silentLog });
    // It is awaited after the transaction, which may be the one that fails.
    migrated.catch(() => {});
    await waitUntil('the migration waits', async () => {
      const waiting = await sql`
        select 1 from pg_locks where relation = 'translations'::regclass and not granted`;
      return waiting.length === 1;
    });
    return { migrated };
  });
  await migrated;
}

/** Runs the statements of the job prune-notifications of that version for a page. */
const pruneAsBefore = () => sql`
  with shown as materialized (
    select title as text from incidents where page_id = ${pageId}
    union select summary from incidents where page_id = ${pageId}
  )
  delete from translations t where t.page_id = ${pageId}
    and not exists (select 1 from shown where shown.text = t.source_text)`;

const bytesOf = async (table: string) =>
  (await sql<{ bytes: number }[]>`select pg_total_relation_size(${table})::float8 as bytes`)[0]?.bytes ?? 0;

await migrateTo25(sql);
await sql`insert into accounts (id, name, created_at) values (${pageId}, 'acme', ${at})`;
await sql`
  insert into pages (id, account_id, slug, hostname, name, languages, default_language, created_at)
  values (${pageId}, ${pageId}, 'acme', 'acme.localhost', 'acme', '{en,de,fr,es}', 'en', ${at})`;
await sql`
  insert into incidents (id, page_id, type, title, summary, started_at, published_at)
  values (${incidentId}, ${pageId}, 'incident', 'Now', ${text}, ${at}, ${at})`;

t.test('deliveries of the version before are sent with the same bytes, and take no room', async (t) => {
  const receiver = await startReceiver(t);
  const webhookId = newId<WebhookId>(clock.now());
  const secret = sealColumn(
    testSecretKey,
    'webhook',
    webhookId,
    `whsec_${randomBytes(32).toString('base64')}`,
  );
  await sql`
    insert into webhooks (id, page_id, url, secret, created_at)
    values (${webhookId}, ${pageId}, ${receiver.url}, ${secret}, ${at})`;
  const [sent, pending] = [await announceWithEntry('Sent'), await announceWithEntry('Pending')];
  await sql`update announcements set webhooks_queued_at = ${at}`;
  const ended = { state: 'delivered', finished_at: at };
  const [delivered] = await deliver(webhookId, sent, { ...ended, body: sent.body });
  for (let i = 0; i < 20; i += 1) {
    const older = await announceWithEntry('Older');
    await sql`update announcements set webhooks_queued_at = ${at} where id = ${older.id}`;
    await deliver(webhookId, older, { ...ended, body: older.body });
  }
  await deliver(webhookId, pending, { body: pending.body });
  await deliver(webhookId, null, { kind: 'webhook.test', body: '{"type":"webhook.test"}' });
  for (const language of ['de', 'fr', 'es']) await translate(language);
  const before = await bytesOf('webhook_deliveries');

  await migrateDuring((tx) =>
    translate('de', { source_hash: hashOf('Meanwhile'), source_text: 'Meanwhile' }, tx),
  );

  t.ok((await bytesOf('webhook_deliveries')) < before / 2, `of ${before} bytes`);
  startTestLoop(t, deps);
  await waitUntil('both are sent', () => receiver.received.length === 2);
  await replayWebhookDelivery(deps, { id: delivered?.id ?? '' });
  await waitUntil('the replay is sent', () => receiver.received.length === 3);
  t.strictSame(
    new Set(receiver.received.map(({ body }) => body)),
    new Set([pending.body, '{"type":"webhook.test"}', sent.body]),
  );

  await t.test('so is what an instance of that version announces during the upgrade', async (t) => {
    const late = await announceWithEntry('Late');
    await waitUntil('it is sent', () => receiver.received.length === 4);
    t.equal(receiver.received.at(-1)?.body, late.body);
    await t.rejects(deliver(webhookId, late, { body: late.body }), /violates check constraint/);
  });
});

t.test('texts are still translated, also those that an instance of that version adds', async (t) => {
  const sources = await sql<{ text: string }[]>`select left(text, 9) as text from translation_sources`;
  t.strictSame(sources.map((row) => row.text).sort(), [text.slice(0, 9), 'Meanwhile'].sort());
  await translate('de', { source_hash: hashOf('Late'), source_text: 'Late' });
  // Comes first, and has no text anywhere.
  await translate('fr', { source_hash: hashOf('Gone'), source_text: null, next_attempt_at: new Date(0) });
  const claimed = await claimTranslations(deps, { limit: 5, leaseMs: 60_000 });
  t.strictSame(
    claimed.map(({ language, sourceText }) => `${language} ${sourceText.slice(0, 9)}`).sort(),
    [
      'de Late',
      'de Meanwhile',
      ...['de', 'es', 'fr'].map((language) => `${language} ${text.slice(0, 9)}`),
    ].sort(),
  );
});

t.test('an instance of that version deletes no translation of a text that is shown', async (t) => {
  await pruneAsBefore();
  const kept = await sql<{ language: string }[]>`select language from translations order by language`;
  t.strictSame(
    kept.map(({ language }) => language),
    ['de', 'es', 'fr'],
  );
});
