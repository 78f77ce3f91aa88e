import t, { type Test } from 'tap';
import { createWay, createWaySender } from '../../control/contact-ways/index.js';
import { setEventStore } from '../../control/event-stores/index.js';
import { setFigureExport } from '../../control/figure-exports/index.js';
import { createMonitor } from '../../control/monitors/index.js';
import { beginTotp } from '../../control/people/index.js';
import { queueAccountEmail } from '../../control/subscribers/index.js';
import { createWebhook, deleteWebhook, rotateWebhook } from '../../control/webhooks/index.js';
import { systemClock } from '../../lib/clock.js';
import type { Sql } from '../../sql/open-postgres.js';
import { resealColumns } from '../../sql/reseal.js';
import { openColumn, type SealedOwner, sealColumn, sealedColumns } from '../../sql/sealed-columns.js';
import { countPasswords } from '../control/people/support.js';
import { testActor } from '../support/actor.js';
import { besideTransaction } from '../support/beside-transaction.js';
import { makeChannel } from '../support/channels.js';
import { environmentFor } from '../support/cli-environment.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { makePage } from '../support/pages.js';
import { makeUser } from '../support/people.js';
import { runInProcess } from '../support/run-heartline.js';
import { readSources } from '../support/sources.js';
import { openTestPostgres } from '../support/stores.js';

const old = testSecretKey;
const fresh = 'another secret of forty characters......';
const clock = systemClock;

/** A value in every sealed column, sealed with the old key by the verbs of the service. */
async function openSealed(t: Test) {
  const postgres = await openTestPostgres(t);
  const { sql } = postgres;
  const { id: pageId } = await makePage(sql);
  const deps = { sql, clock, secretKey: old, by: testActor };
  const webhook = await createWebhook(deps, { pageId, url: 'https://example.com/hook' });
  await rotateWebhook(deps, { id: webhook.id, pageId });
  await makeChannel({ sql, clock }, pageId, {
    settings: { url: 'https://example.com/chat' },
  });
  const headers = [['Authorization', 'Bearer x'] as const];
  const site = { slug: 'site', name: 'Site', kind: 'http', url: 'https://example.com', headers } as const;
  await createMonitor(deps, { pageId, ...site });
  const store = { url: 'https://clickhouse.example.com', database: 'events', username: 'owner' };
  await setEventStore(deps, { pageId, ...store, password: 'secret' });
  const bucket = {
    endpoint: 'https://s3.example.com',
    region: 'auto',
    bucket: 'figures',
    accessKeyId: 'owner',
  };
  await setFigureExport(deps, pageId, { ...bucket, secretAccessKey: 'secret' });
  const { id: userId, email } = await makeUser({ sql, clock });
  const sender = createWaySender({ clock, allowPrivateAddresses: false });
  t.teardown(() => sender.close());
  const baseUrl = () => 'https://heartline.example.com/';
  await createWay(
    { ...deps, sender, baseUrl },
    { userId, email, language: null },
    { kind: 'ntfy', settings: { topic: 'ada-on-call' } },
  );
  await beginTotp({ ...deps, passwords: countPasswords() }, { userId, address: '203.0.113.7' });
  await queueAccountEmail(
    sql,
    { secretKey: old, now: clock.now() },
    {
      recipient: 'ada@example.com',
      language: 'en',
      content: { kind: 'reset', link: 'https://example.com/reset' },
      expiresAt: new Date(clock.now() + 60_000),
    },
  );
  return { ...postgres, webhookId: webhook.id };
}

type Value = { at: string; owner: SealedOwner; id: string; sealed: Buffer };

async function listValues(sql: Sql): Promise<Value[]> {
  const values: Value[] = [];
  for (const [owner, { table, id, columns }] of Object.entries(sealedColumns)) {
    for (const column of columns) {
      const rows = await sql<Value[]>`
        select ${`${table}.${column}`} as at, ${owner} as owner, ${sql(id)}::text as id, ${sql(column)} as sealed
        from ${sql(table)} where ${sql(column)} is not null`;
      values.push(...rows);
    }
  }
  return values;
}

const open = (secretKey: string, { owner, id, sealed }: Value) => openColumn(secretKey, owner, id, sealed);

const columns = Object.values(sealedColumns).flatMap(({ table, columns }) =>
  columns.map((column) => `${table}.${column}`),
);

t.test('every column is resealed with the first key, once, and opens without the others', async (t) => {
  const { sql } = await openSealed(t);
  const before = await listValues(sql);
  t.strictSame(before.map(({ at }) => at).sort(), [...columns].sort(), 'this test fills every column');
  const secrets = before.map((value) => open(`${fresh},${old}`, value));
  for (const value of before) t.throws(() => open(fresh, value), value.at);

  const told: string[] = [];
  const secretKey = `${fresh},${old}`;
  const first = await resealColumns({ sql, secretKey }, ({ table, column }) =>
    told.push(`${table}.${column}`),
  );
  t.strictSame(told, columns);
  t.ok(first.every(({ values, resealed, unreadable }) => values === 1 && resealed === 1 && unreadable === 0));
  t.strictSame(
    (await listValues(sql)).map((value) => open(fresh, value)),
    secrets,
  );

  const after = await listValues(sql);
  const again = await resealColumns({ sql, secretKey }, () => {});
  t.ok(again.every(({ values, resealed }) => values === 1 && resealed === 0));
  t.strictSame(await listValues(sql), after, 'a repetition writes nothing');
});

t.test('more rows than a batch are resealed', async (t) => {
  const { sql, webhookId } = await openSealed(t);
  await sql`
    insert into webhooks (id, page_id, url, secret, created_at)
    select gen_random_uuid(), page_id, url, secret, created_at from webhooks, generate_series(1, 600)
    where id = ${webhookId}`;
  const ids = (await sql<{ id: string }[]>`select id from webhooks`).map(({ id }) => id);
  const sealed = ids.map((id) => sealColumn(old, 'webhook', id, 'x').toString('hex'));
  await sql`
    update webhooks set secret = decode(new.sealed, 'hex')
    from unnest(${ids}::uuid[], ${sealed}::text[]) as new (id, sealed) where webhooks.id = new.id`;
  const [secrets] = await resealColumns({ sql, secretKey: `${fresh},${old}` }, () => {});
  t.match(secrets, { column: 'secret', values: 601, resealed: 601, unreadable: 0 });
});

t.test('a value that the service changes meanwhile stays, and its new value is resealed', async (t) => {
  const { sql, webhookId } = await openSealed(t);
  const rotated = sealColumn(old, 'webhook', webhookId, 'a later secret');
  const secretKey = `${fresh},${old}`;
  const [secrets] = await besideTransaction(
    sql,
    {
      first: (tx) => tx`select 1 from webhooks where id = ${webhookId} for update`,
      next: (tx) => tx`update webhooks set secret = ${rotated} where id = ${webhookId}`,
    },
    () => resealColumns({ sql, secretKey }, () => {}),
  );
  t.match(secrets, { values: 1, resealed: 1 });
  const [value] = await listValues(sql);
  t.equal(value && open(fresh, value), 'a later secret');
});

t.test('a webhook that is deleted, before the command or during it, has no value to open', async (t) => {
  const { sql, webhookId } = await openSealed(t);
  const secretKey = `${fresh},${old}`;
  const [during] = await besideTransaction(
    sql,
    {
      first: (tx) => tx`select 1 from webhooks where id = ${webhookId} for update`,
      next: (tx) => tx`update webhooks set secret = '' where id = ${webhookId}`,
    },
    () => resealColumns({ sql, secretKey }, () => {}),
  );
  t.match(during, { column: 'secret', values: 1, resealed: 0, unreadable: 0 });
  await deleteWebhook({ sql, clock, by: testActor }, { id: webhookId });
  const after = await resealColumns({ sql, secretKey }, () => {});
  t.match(after.slice(0, 2), [
    { column: 'secret', values: 0, unreadable: 0 },
    { column: 'previous_secret', values: 0, unreadable: 0 },
  ]);
});

t.test('the command counts, says what no key opens, and prints no secret', async (t) => {
  const { webhookId, ...postgres } = await openSealed(t);
  const { sql } = postgres;
  const lost = sealColumn('a key that nobody has any more, sadly', 'webhook', webhookId, 'x');
  await sql`update webhooks set secret = ${lost}`;
  const env = { ...environmentFor(postgres), HEARTLINE_SECRET_KEY: `${fresh}, ${old}` };
  const run = (...args: string[]) => runInProcess(['secrets', 'reseal', ...args], env);
  const first = await run();
  t.equal(first.code, 1);
  t.match(first.stdout, /^webhooks\.secret +1 +0 +1$/m);
  t.match(first.stdout, /^8 values are now encrypted with the first key\.$/m);
  t.match(
    first.stderr,
    new RegExp(`1 value is encrypted with a key that .*: webhooks\\.secret of ${webhookId}\\.`),
  );
  t.match(first.stderr, /^users\.totp_secret: 1 looked at\.$/m);
  t.notMatch(first.stdout + first.stderr, new RegExp(`${fresh}|${old}`));
  t.strictSame(
    (await sql`select secret from webhooks`).map(({ secret }) => secret),
    [lost],
    'it stays',
  );

  await sql`delete from webhooks`;
  const second = await run('--json');
  t.equal(second.code, 0);
  t.match(JSON.parse(second.stdout), { resealed: 0, unreadable: 0 });
});

/** Batches of events, and pictures. What is a hash has a name that says so. */
const unsealed = [
  'delivery_batches.body',
  'held_parts.body',
  'held_parts.packed',
  'page_logos.bytes',
  'pool_block_parts.body',
  'series_groups.state',
];

t.test('every column of bytes is a sealed one or known to be none', async (t) => {
  const { sql } = await openTestPostgres(t);
  const found = await sql<{ at: string }[]>`
    select table_name || '.' || column_name as at from information_schema.columns
    where table_schema = current_schema() and data_type = 'bytea'
      and column_name !~ '(^|_)(hash|salt)$' order by 1`;
  t.strictSame(
    found.map(({ at }) => at).filter((at) => !columns.includes(at)),
    unsealed,
  );
});

t.test('what is stored is sealed through the list of columns', async (t) => {
  const importers = (await readSources())
    .filter(({ path }) => !path.startsWith('test/'))
    .filter(({ text }) => /\bsealSecret\b/.test(text))
    .map(({ path }) => path);
  t.strictSame(importers.sort(), [
    // Both seal what browsers keep for minutes.
    'api/routes/account/sealed-cookie.ts',
    'api/routes/account/sign-in.ts',
    'lib/secrets/secret-box.ts',
    'sql/sealed-columns.ts',
  ]);
});
