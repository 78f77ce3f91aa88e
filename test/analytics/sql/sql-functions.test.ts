import t from 'tap';
import { checkSql } from '../../../analytics/sql/check-sql.js';
import { isAllowedFunction } from '../../../analytics/sql/sql-functions.js';
import { openTestClickHouse } from '../../support/stores.js';
import { isThirdTier } from '../../support/tiers.js';

const { clickhouse } = await openTestClickHouse(t);
async function column(query: string): Promise<string[]> {
  const result = await clickhouse.query({ query, format: 'JSONEachRow' });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}
const functions = await column('SELECT name FROM system.functions');
const byCategory = (categories: string): Promise<string[]> =>
  column(`SELECT name FROM system.functions WHERE match(categories, '${categories}')`);

t.test('allowed functions do not reach beyond the query', async (t) => {
  const suspect =
    /file|dict|^joinget|url$|host|fqdn|user|role|profile|setting|macro|uuid$|server|port$|version|header|sleep|throw|catboost|model|bayes|initializeaggregation|arrayreduce|reinterpret|addressto|demangle|symbol|^ai[A-Z]|zookeeper|transaction|query_?id|connection|fuzz|obfuscate|hascolumn|uptime|build|revision|certificate|filesystem|partition|block|shard|tcp|logtrace|chdb|structure/i;
  const known = new Set(['generateUUIDv4', 'toUUID', 'domain', 'toStartOfInterval']);
  const reached = functions.filter(
    (name) => isAllowedFunction(name) && suspect.test(name) && !known.has(name),
  );
  t.same(reached, []);
  const inside = await byCategory('Introspection|Dictionar|Machine|^AI$|Other');
  t.same(inside.filter(isAllowedFunction).sort(), [
    'bar',
    'finalizeAggregation',
    'formatReadableDecimalSize',
    'formatReadableQuantity',
    'formatReadableSize',
    'formatReadableTimeDelta',
    'identity',
    'isConstant',
    'materialize',
    'toTypeName',
    'transform',
  ]);
});

t.test('no other function has an allowed name in another case', (t) => {
  const spelled = new Map<string, string[]>();
  for (const name of functions)
    spelled.set(name.toLowerCase(), [...(spelled.get(name.toLowerCase()) ?? []), name]);
  const doubtful = [...spelled.values()].filter((names) => names.length > 1 && names.some(isAllowedFunction));
  const aliases = new Set(['DATE', 'Date', 'date']);
  t.same(
    doubtful.flat().filter((name) => !aliases.has(name) && !isAllowedFunction(name)),
    [],
  );
  t.end();
});

t.test('an alias is held to the rules of its function', async (t) => {
  const aliases = await clickhouse.query({
    query: "SELECT name, alias_to FROM system.functions WHERE alias_to != ''",
    format: 'JSONEachRow',
  });
  for (const { name, alias_to } of await aliases.json<{ name: string; alias_to: string }>()) {
    if (isAllowedFunction(name) && isAllowedFunction(alias_to)) {
      t.equal(faultOf(name), faultOf(alias_to), `${name} and ${alias_to}`);
    }
  }
});

/** The mistake in `SELECT name(file, x)`, without the name. */
function faultOf(name: string): string {
  try {
    checkSql(treeOf(name), { database: 'heartline' });
    return 'nothing';
  } catch (error) {
    return String(error).replaceAll(name, '');
  }
}

t.test('no table function hides behind an allowed name', async (t) => {
  // The right side of IN may be a table function, which is then checked as a function.
  const tables = await column('SELECT name FROM system.table_functions');
  t.same(tables.filter(isAllowedFunction), []);
});

t.test('every function that takes a function by its bare name is known', async (t) => {
  const canonical = await column(
    "SELECT name FROM system.functions WHERE alias_to = '' AND NOT is_aggregate",
  );
  // The analyzer needs 15 s for all; only those of arrays and maps have ever taken a function.
  const isLikely = (name: string): boolean => isThirdTier || /^(array|map)/i.test(name);
  const names = canonical.filter((name) => isAllowedFunction(name) && isLikely(name));
  const found: string[] = [];
  // By eights: the server parses one query a core.
  for (let i = 0; i < names.length; i += 8) {
    const taken = await Promise.all(names.slice(i, i + 8).map(takesFunction));
    found.push(...names.slice(i, i + 8).filter((_, n) => taken[n]));
  }
  t.ok(found.includes('arrayMap'));
  for (const name of found) {
    t.throws(
      () => checkSql(treeOf(name), { database: 'heartline' }),
      { message: /must be written as a lambda/ },
      name,
    );
  }
});

/** Whether the analyzer takes a bare name as the first argument for a function. */
async function takesFunction(name: string): Promise<boolean> {
  for (const rest of ["['/x']", "map('/x', '/y')", "['/x'], ['/y']"]) {
    if (await resolvesFunction(`SELECT ${name}(isNotNull, ${rest})`)) return true;
  }
  return false;
}

async function resolvesFunction(query: string): Promise<boolean> {
  try {
    const result = await clickhouse.query({ query: `EXPLAIN QUERY TREE ${query}`, format: 'TabSeparated' });
    return (await result.text()).includes('function_name: isNotNull');
  } catch (error) {
    return String(error).includes('__function_ref');
  }
}

/** `SELECT name(file, x)` as EXPLAIN AST prints it. */
function treeOf(name: string): string[] {
  return [
    'SelectWithUnionQuery (children 1)',
    ' ExpressionList (children 1)',
    '  SelectQuery (children 1)',
    '   ExpressionList (children 1)',
    `    Function ${name} (children 1)`,
    '     ExpressionList (children 2)',
    '      Identifier file',
    '      Identifier x',
  ];
}
