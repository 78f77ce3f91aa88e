import t from 'tap';
import { migrateClickHouse, migrateOwnStore } from '../../../sql/migrate.js';
import { loadMigrations, splitStatements } from '../../../sql/migration-files.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { prepareEventStore } from '../../../sql/prepare-event-store.js';
import { answer, type Behaviour, rows, silence, startHostileStore } from '../../support/hostile-store.js';
import { localOutbound, openOwn } from '../../support/own-store.js';
import { silentLog } from '../../support/silent-log.js';
import { openEmptyClickHouse } from '../../support/stores.js';

const store = await startHostileStore(t, silence);
const files = await loadMigrations('clickhouse');
const statements = files.flatMap(({ text }) => splitStatements(text));
/** For each file, the look for records twice, the table of records, and the record. */
const queriesMax = statements.length + 4 * files.length + 4;

/** Takes every statement, and has forgotten it when asked. */
const forgetful: Behaviour = (socket, query) =>
  (query.startsWith('EXISTS') ? rows({ result: 0 }) : answer(''))(socket, query);
/** Remembers all files but one. */
const forgetsOne: Behaviour = (socket, query) => {
  if (query.startsWith('EXISTS')) return rows({ result: 1 })(socket, query);
  if (!query.startsWith('SELECT DISTINCT number')) return answer('')(socket, query);
  return rows(...files.slice(1).map(({ number, name, checksum }) => ({ number, name, checksum })))(
    socket,
    query,
  );
};

t.test('a store that forgets its migrations gets each file at most once', async (t) => {
  for (const behave of [forgetful, forgetsOne]) {
    store.behave = behave;
    store.queries.length = 0;
    const session = openOwn(t, store).begin();
    await t.rejects(migrateOwnStore({ session, log: silentLog }), {
      name: 'MigrationError',
      message: `${files[0]?.name} was applied to the ClickHouse database, but its record is not in the table migrations. Let the user insert into that table and read it.`,
    });
    t.ok(store.queries.length <= queriesMax, `${store.queries.length} queries`);
  }
});

t.test('so does the same server as the ClickHouse of the installation', async (t) => {
  store.behave = forgetful;
  store.queries.length = 0;
  const clickhouse = openClickHouse(store.url);
  t.teardown(() => clickhouse.close());
  await t.rejects(migrateClickHouse({ clickhouse, log: silentLog }), { name: 'MigrationError' });
  t.ok(store.queries.length <= queriesMax, `${store.queries.length} queries`);
});

t.test('a store whose records show late gets each file once, and is migrated', async (t) => {
  const isRecord = (query: string): boolean => query.startsWith('INSERT INTO migrations');
  const records = (): number => store.queries.filter(isRecord).length;
  let looked = 0;
  // Each record shows at the second look, as on another replica behind the same address.
  store.behave = (socket, query) => {
    if (query.startsWith('EXISTS')) return rows({ result: records() > 0 ? 1 : 0 })(socket, query);
    if (isRecord(query)) looked = 0;
    if (!query.startsWith('SELECT DISTINCT number')) return answer('')(socket, query);
    looked += 1;
    const shown = files.slice(0, records() - (looked > 1 ? 0 : 1));
    return rows(...shown.map(({ number, name, checksum }) => ({ number, name, checksum })))(socket, query);
  };
  store.queries.length = 0;
  await migrateOwnStore({ session: openOwn(t, store).begin(), log: silentLog });
  t.equal(records(), files.length);
  t.ok(store.queries.length <= queriesMax, `${store.queries.length} queries`);
});

t.test('the preparation of a store says what is wrong with it, in time', async (t) => {
  const address = { url: store.url, database: 'events', username: 'owner', password: 'secret' };
  const prepare = (timeoutMs?: number) =>
    prepareEventStore(address, { outbound: localOutbound, log: silentLog, ...(timeoutMs && { timeoutMs }) });
  store.behave = (socket, query) =>
    (query.includes('version()') ? rows({ version: '25.8.1' }) : forgetful)(socket, query);
  await t.rejects(prepare(), {
    name: 'EventStoreError',
    message: /The database "events" cannot be used: 0001/,
  });
  store.behave = rows({ version: 'x'.repeat(900) });
  await t.rejects(prepare(), { message: /ClickHouse x{20} is too old/ });
  store.behave = silence;
  await t.rejects(prepare(200), { message: /It takes too long to answer/ });
  store.behave = answer('<html>', '', '404 Not Found');
  await t.rejects(prepare(), { message: /answers with status 404, unlike a ClickHouse/ });
  const rewriting = '\u001b[2J\u009b2J\r\nheartline: all is well';
  store.behave = rows({ version: `1.1${rewriting}` });
  await t.rejects(prepare(), { message: /^ClickHouse 1\.1 \[2J 2J {2}heartlin is too old/ });
  store.behave = answer(`Code: 60. DB::Exception: ${rewriting} (UNKNOWN_TABLE)`, '', '404 Not Found');
  await t.rejects(prepare(), {
    message: /answers: Code: 60\. DB::Exception: {2}\[2J 2J {2}heartline: all is/,
  });
});

t.test('a real ClickHouse is prepared, and prepared again', async (t) => {
  const { clickhouseUrl, clickhouse } = await openEmptyClickHouse(t);
  const { origin, username, password, pathname } = new URL(clickhouseUrl);
  const address = {
    ...{ url: origin, username: decodeURIComponent(username), password: decodeURIComponent(password) },
    database: pathname.slice(1),
  };
  for (const _ of [1, 2]) {
    t.match(await prepareEventStore(address, { outbound: localOutbound, log: silentLog }), {
      version: /^2\d\.\d/,
    });
  }
  const answered = await clickhouse.query({ query: 'SELECT number FROM migrations', format: 'JSONEachRow' });
  t.equal((await answered.json()).length, files.length);
});
