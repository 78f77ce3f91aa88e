import t from 'tap';
import { shardUserStatements, toClusterStatements } from '../../sql/cluster-statements.js';
import { loadMigrations, splitStatements } from '../../sql/migration-files.js';

const plain = { name: 'events', replicated: false };
const replicated = { name: 'events', replicated: true };
const files = await loadMigrations('clickhouse');

for (const { name, text } of files) {
  t.test(`${name} has a form for clusters`, async (t) => {
    for (const layout of [plain, replicated]) {
      const statements = splitStatements(text).flatMap((statement) => toClusterStatements(statement, layout));
      t.ok(statements.length > 0);
      for (const statement of statements) {
        if (statement.startsWith('ALTER')) {
          t.match(
            statement,
            /^ALTER TABLE (\w+\n {4}ADD COLUMN IF NOT EXISTS |\w+_local (MODIFY SETTING|MODIFY TTL|MATERIALIZE TTL) ?)/,
          );
          continue;
        }
        if (statement.startsWith('INSERT')) {
          t.match(statement, /^INSERT INTO kept_since_local\nSELECT/);
          t.notMatch(statement, /FROM (?!\w+_local\b)\w/, 'reads what the server has itself');
          continue;
        }
        if (statement.startsWith('DROP')) {
          t.match(statement, /^DROP VIEW IF EXISTS \w+$/);
          continue;
        }
        if (statement.startsWith('CREATE VIEW')) {
          t.match(statement, /^CREATE VIEW IF NOT EXISTS sql_\w+ SQL SECURITY INVOKER AS\nSELECT\b/);
          t.match(statement, /^FROM (?!\w+_local\b)\w+ FINAL$/m, 'reads the rows of all shards');
          continue;
        }
        const [, created = ''] = /^CREATE \D+? IF NOT EXISTS (\w+)/.exec(statement) ?? [];
        if (statement.includes('MATERIALIZED VIEW')) {
          t.match(statement, / TO \w+_local AS\n/);
          t.match(statement, /\bFROM \w+_local\b/);
        } else if (created.endsWith('_local')) {
          t.match(
            statement,
            layout.replicated
              ? /^ENGINE = (Null$|Replicated\w*MergeTree\('\/clickhouse\/tables\/events\/\{shard\}\/\{database\}\/\{table\}', '\{replica\}'(, \w+)?\)$)/m
              : /^ENGINE = (Null|\w*MergeTree(\(\w+\))?)$/m,
          );
          t.equal(
            statement.includes('non_replicated'),
            !layout.replicated &&
              text.includes('non_replicated') &&
              !/ENGINE = (Null|MergeTree\nORDER BY hours_from)/.test(statement),
          );
        } else {
          const key = created === 'kept_since' ? ')' : ', cityHash64(page_id, ';
          t.match(statement, `ENGINE = Distributed('events', currentDatabase(), ${created}_local${key}`);
        }
      }
    }
  });
}

t.test('a table becomes a local table and a table over all shards, by page and endpoint', async (t) => {
  const table = `CREATE TABLE IF NOT EXISTS hits
(
    page_id UUID COMMENT 'Status page',
    endpoint String,
    at DateTime('UTC'),
    version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (page_id, endpoint, at)
SETTINGS ttl_only_drop_parts = 1, non_replicated_deduplication_window = 10000
COMMENT 'One''s hits'`;
  const all = `CREATE TABLE IF NOT EXISTS hits AS hits_local
ENGINE = Distributed('events', currentDatabase(), hits_local, cityHash64(page_id, endpoint))
COMMENT 'One''s hits'`;
  t.same(toClusterStatements(table, plain), [table.replace('hits', 'hits_local'), all]);
  t.same(toClusterStatements(table, replicated), [
    table
      .replace('hits', 'hits_local')
      .replace(
        'ReplacingMergeTree(version)',
        "ReplicatedReplacingMergeTree('/clickhouse/tables/events/{shard}/{database}/{table}', '{replica}', version)",
      )
      .replace(
        'non_replicated_deduplication_window = 10000',
        'replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 2592000',
      ),
    all,
  ]);
});

t.test(
  'how long rows are kept is changed where they are, and a row of no page stays on its server',
  async (t) => {
    t.same(
      ['MODIFY TTL at + INTERVAL 9 DAY', 'MATERIALIZE TTL', 'MODIFY SETTING x = 1'].flatMap((change) =>
        toClusterStatements(`ALTER TABLE hits ${change}`, plain),
      ),
      [
        'ALTER TABLE hits_local MODIFY TTL at + INTERVAL 9 DAY',
        'ALTER TABLE hits_local MATERIALIZE TTL',
        'ALTER TABLE hits_local MODIFY SETTING x = 1',
      ],
    );
    const [, all] = toClusterStatements(
      "CREATE TABLE IF NOT EXISTS since\n(\n    at DateTime\n)\nENGINE = MergeTree\nORDER BY at\nCOMMENT 'x'",
      plain,
    );
    t.match(all, "ENGINE = Distributed('events', currentDatabase(), since_local)\n");
    t.same(
      toClusterStatements('INSERT INTO since\nSELECT now() WHERE (SELECT count() FROM since) = 0', plain),
      ['INSERT INTO since_local\nSELECT now() WHERE (SELECT count() FROM since_local) = 0'],
    );
  },
);

t.test('a column is added to the local table, then to the table over all shards', async (t) => {
  const addition = "ADD COLUMN IF NOT EXISTS size UInt64 COMMENT 'Bytes' CODEC(ZSTD) AFTER at";
  t.same(toClusterStatements(`ALTER TABLE hits\n    ${addition}`, plain), [
    `ALTER TABLE hits_local\n    ${addition}`,
    `ALTER TABLE hits\n    ${addition}`,
  ]);
  t.throws(
    () => toClusterStatements('ALTER TABLE hits\n    DROP COLUMN size', plain),
    /its form is not known/,
  );
});

t.test('a view runs on the server where rows arrive', async (t) => {
  const view =
    'CREATE MATERIALIZED VIEW IF NOT EXISTS a_to_b TO b AS\nSELECT x, l.y AS y\nFROM a AS l\nGROUP BY x';
  t.same(toClusterStatements(view, plain), [
    'CREATE MATERIALIZED VIEW IF NOT EXISTS a_to_b TO b_local AS\nSELECT x, l.y AS y\nFROM a_local AS l\nGROUP BY x',
  ]);
});

t.test('a view that only reads has one name on every server, and reads all shards', async (t) => {
  const view =
    'CREATE VIEW IF NOT EXISTS sql_a SQL SECURITY INVOKER AS\nSELECT x\nFROM a FINAL\nWHERE a.y = 0';
  t.strictSame(toClusterStatements(view, plain), [view]);
  t.strictSame(toClusterStatements(view, replicated), [view]);
});

t.test('a table shows the user of a query on every shard', async (t) => {
  t.match(shardUserStatements(plain), [
    /^CREATE VIEW IF NOT EXISTS shard_users_local AS SELECT currentUser\(\)/,
    /^CREATE TABLE IF NOT EXISTS shard_users [\s\S]*ENGINE = Distributed\('events', currentDatabase\(\), shard_users_local\)/,
  ]);
});

const columns = '(\n    page_id UUID,\n    endpoint String\n)';
const refused: Record<string, [statement: string, why: RegExp]> = {
  'another statement': ['ALTER TABLE requests_minute ADD COLUMN a UInt8', /its form is not known: ALTER/],
  'a table without what it is sharded by': [
    "CREATE TABLE IF NOT EXISTS a\n(\n    page_id UUID\n)\nENGINE = Null\nCOMMENT 'x'",
    /it has no page_id with one of endpoint/,
  ],
  'a table whose key would be on several shards': [
    `CREATE TABLE IF NOT EXISTS a\n${columns}\nENGINE = MergeTree\nORDER BY (page_id)\nCOMMENT 'x'`,
    /it is not sorted by page_id and endpoint/,
  ],
  'an unknown engine': [
    `CREATE TABLE IF NOT EXISTS a\n${columns}\nENGINE = Log\nCOMMENT 'x'`,
    /the engine Log is not known/,
  ],
  'a table without a comment': [
    `CREATE TABLE IF NOT EXISTS a\n${columns}\nENGINE = Null`,
    /it has no comment/,
  ],
  'a view over two tables': [
    'CREATE MATERIALIZED VIEW IF NOT EXISTS a_to_b TO b AS\nSELECT * FROM a\nJOIN c USING x',
    /it reads more than one table/,
  ],
  'a view that reads two tables': [
    'CREATE VIEW IF NOT EXISTS sql_a SQL SECURITY INVOKER AS\nSELECT x\nFROM a FINAL\nJOIN b USING x',
    /it reads more than one table/,
  ],
  'a view that reads rows that are not merged': [
    'CREATE VIEW IF NOT EXISTS sql_a SQL SECURITY INVOKER AS\nSELECT x\nFROM a',
    /it does not read a table with FINAL/,
  ],
  'a view with the rights of its owner': [
    'CREATE VIEW IF NOT EXISTS sql_a AS\nSELECT x\nFROM a FINAL',
    /its form is not known/,
  ],
};
for (const [name, [statement, why]] of Object.entries(refused)) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => toClusterStatements(statement, plain), { message: why });
  });
}
