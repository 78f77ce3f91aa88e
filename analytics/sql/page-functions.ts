import { documentedTables, sqlTables } from '../../contract/sql-documented.js';
import { nearestKeyOf } from '../../lib/latency-buckets.js';
import { findTables } from './named-tables.js';
import type { Part } from './replace-parts.js';
import { sqlErrorAt } from './sql-refusal.js';
import { isSymbol, isWord, quoted, type Token } from './tokens.js';

/** Functions that a page's SQL has beside the ones of ClickHouse. */
export const pageFunctionNames = ['apdex', 'percentile', 'rate', 'shareUnder'] as const;
type PageFunction = (typeof pageFunctionNames)[number];

/** Each call of a function merges the buckets of all rows of a group. */
const callsMax = 20;
/** Functions and operators in the longest expression that a call stands for, and merges of buckets among them. */
export const functionsPerCallMax = 163;
export const mergesPerCallMax = 16;

/** A call as it is written, with its arguments as they are written. */
type Call = {
  name: PageFunction;
  token: Token;
  /** Index of the token behind the closing parenthesis. */
  after: number;
  column: string;
  /** Number behind the column, where one is. */
  number: { value: number; token: Token } | undefined;
};

/**
 * Returns the parts of a statement that call functions of pages, with the expressions that they stand for. A call that has
 * no name yet gets its own text as one, which is then the name of the column.
 *
 * @throws ServiceError `invalidSql` for arguments that a function does not take, with their place.
 */
export function expandPageFunctions(sql: string, tokens: readonly Token[]): Part[] {
  const calls = tokens.flatMap((token, at) => {
    const name = pageFunctionNames.find((known) => known === token.text);
    const isCall = name !== undefined && token.kind === 'word' && isSymbol(tokens[at + 1], '(');
    return isCall && !isSymbol(tokens[at - 1], '.') ? [readCall(sql, tokens, at, { name, token })] : [];
  });
  const tooMany = calls[callsMax];
  if (tooMany !== undefined) {
    const advice = `At most ${callsMax} are available; use several statements.`;
    throw sqlErrorAt(sql, tooMany.token.start, 'The statement has too many of these functions', advice);
  }
  return calls.map((call) => {
    const end = tokens[call.after - 1]?.end ?? sql.length;
    const { start } = call.token;
    const expression = expand(sql, tokens, call);
    const ownName = hasName(tokens[call.after]) ? '' : ` AS ${quoted(sql.slice(start, end))}`;
    return { start, end, text: `(${expression}${ownName})` };
  });
}

function readCall(
  sql: string,
  tokens: readonly Token[],
  at: number,
  { name, token }: Pick<Call, 'name' | 'token'>,
): Call {
  let place = at + 2;
  const column: string[] = [];
  for (;;) {
    const part = tokens[place];
    if (part?.kind !== 'word' && part?.kind !== 'quotedName') break;
    if (/^\d/.test(part.text) && part.kind === 'word') break;
    column.push(part.kind === 'word' ? part.text : quoted(part.text));
    place += 1;
    if (!isSymbol(tokens[place], '.')) break;
    place += 1;
  }
  if (column.length === 0) {
    const what = `The first argument of ${name} must be the name of a column`;
    throw sqlErrorAt(sql, tokens[place]?.start ?? token.end, what, `Write ${examples[name]}.`);
  }
  const { number, next } = readNumber(sql, tokens, place);
  if (!isSymbol(tokens[next], ')')) {
    const what = `${name} takes the name of a column and a number`;
    throw sqlErrorAt(sql, tokens[next]?.start ?? token.start, what, `Write ${examples[name]}.`);
  }
  refuseWindow(sql, tokens, next + 1, token);
  return { name, token, after: next + 1, column: column.join('.'), number };
}

/** Reads the number behind a comma. The tokens of 0.95 are two words and a symbol. */
function readNumber(
  sql: string,
  tokens: readonly Token[],
  at: number,
): { number: Call['number']; next: number } {
  const first = tokens[at + 1];
  if (!isSymbol(tokens[at], ',') || first === undefined) return { number: undefined, next: at };
  let next = at + 1;
  while (next < tokens.length && !isSymbol(tokens[next], ')') && !isSymbol(tokens[next], ',')) next += 1;
  const text = sql.slice(first.start, tokens[next - 1]?.end ?? first.end);
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text)) return { number: undefined, next: at + 1 };
  return { number: { value: Number(text), token: first }, next };
}

function refuseWindow(sql: string, tokens: readonly Token[], at: number, token: Token): void {
  const next = tokens[at];
  if (!isWord(next, 'OVER') && !isWord(next, 'FILTER')) return;
  const what = `${token.text} takes no ${next?.text.toUpperCase() ?? ''}`;
  throw sqlErrorAt(sql, next?.start ?? token.start, what, 'Compute it in a subquery first.');
}

const examples: Readonly<Record<PageFunction, string>> = {
  apdex: 'apdex(latency_buckets, 300)',
  percentile: 'percentile(latency_buckets, 0.95)',
  rate: 'rate(requests) or rate(requests, 60)',
  shareUnder: 'shareUnder(latency_buckets, 200)',
};

function expand(sql: string, tokens: readonly Token[], { name, token, column, number }: Call): string {
  if (name === 'rate') {
    if (number !== undefined) {
      if (number.value > 0) return `sum(${column}) / ${number.value}`;
      throw sqlErrorAt(sql, number.token.start, 'The seconds of rate must be more than 0');
    }
    const time = findTimeOf(tokens);
    if (time !== undefined && !isRenamed(tokens, time.name)) {
      const { name: slot, seconds } = time;
      return `sum(${column}) / (dateDiff('second', min(${slot}), max(${slot})) + ${seconds})`;
    }
    const advice = 'Give them: rate(requests, 3600) for groups of an hour.';
    throw sqlErrorAt(sql, token.start, 'rate does not know how many seconds a row stands for', advice);
  }
  if (number === undefined) {
    throw sqlErrorAt(sql, token.start, `${name} lacks its second argument`, `Write ${examples[name]}.`);
  }
  const { value } = number;
  if (name === 'percentile') {
    if (value > 0 && value < 1) return percentileOf(`sumMap(${column})`, value);
    const advice = 'Write 0.95 for the 95th percentile.';
    throw sqlErrorAt(sql, number.token.start, 'The percentile must be between 0 and 1', advice);
  }
  if (value <= 0) {
    throw sqlErrorAt(sql, number.token.start, `The milliseconds of ${name} must be more than 0`);
  }
  const under = (ms: number): string => countUnder(`sumMap(${column})`, ms);
  const all = `nullIf(arraySum(mapValues(sumMap(${column}))), 0)`;
  if (name === 'shareUnder') return `${under(value)} / ${all}`;
  // Apdex Technical Specification 1.1: satisfied requests, and half of those that are tolerated up to four times as long.
  return `(${under(value)} + ${under(4 * value)}) / 2 / ${all}`;
}

/** The column with the time of a row, and how many seconds a row stands for. */
type RowTime = { name: string; seconds: number };

const slots: readonly RowTime[] = [
  { name: 'minute', seconds: 60 },
  { name: 'hour', seconds: 3_600 },
  { name: 'day', seconds: 86_400 },
];

/** Returns the time of the rows that a statement reads; `undefined` when its tables have none, or different ones. */
function findTimeOf(tokens: readonly Token[]): RowTime | undefined {
  const names = new Set(findTables(tokens).map(({ token }) => token.text));
  const times = sqlTables
    .filter((table) => names.has(table))
    .flatMap((table) => {
      const columns = documentedTables[table].columns.map(({ name }) => name);
      return slots.filter(({ name }) => columns.includes(name)).slice(0, 1);
    });
  const [first] = times;
  return times.every((one) => one === first) ? first : undefined;
}

/** Whether the statement gives something else the name of a column, as in `toStartOfHour(minute) AS minute`. */
function isRenamed(tokens: readonly Token[], column: string): boolean {
  return tokens.some(
    ({ text }, at) => text === column && (isWord(tokens[at - 1], 'AS') || isSymbol(tokens[at - 1], ')')),
  );
}

/** Counts whole buckets: exact at the bound of a bucket, and otherwise as if the nearest bound was asked for. */
function countUnder(buckets: string, ms: number): string {
  const key = nearestKeyOf(ms);
  return `arraySum(mapValues(mapFilter((lb_key, lb_count) -> lb_key <= ${key}, ${buckets})))`;
}

/**
 * Returns the percentile as percentilesOfBuckets() of sql/latency-percentiles.ts computes it, null where nothing is
 * counted. It names nothing but the arguments of lambdas, so a SELECT may have several.
 */
function percentileOf(buckets: string, rank: number): string {
  const counts = `mapValues(${buckets})`;
  const keys = `mapKeys(${buckets})`;
  const sums = `arrayCumSum(${counts})`;
  const wanted = `toUInt64(greatest(1, ceil(${rank} * ${sums}[-1])))`;
  const place = `arrayFirstIndex(lb_sum -> lb_sum >= ${wanted}, ${sums})`;
  const [key, held, upTo] = [`${keys}[${place}]`, `${counts}[${place}]`, `${sums}[${place}]`];
  const values = [wanted, upTo, held, key, `${key} % 1000`, `intExp10(intDiv(${key}, 1000))`];
  const names = 'lb_wanted, lb_up_to, lb_held, lb_key, lb_mantissa, lb_power';
  return `arrayElement(arrayMap((${names}) -> ${timeOf}, ${values.map((value) => `[${value}]`).join(', ')}), 1)`;
}

const widthUs =
  'lb_power * multiIf(lb_mantissa > 500, 50, lb_mantissa > 200, 20, lb_mantissa > 100, 10, 5) / 2';
const lowerMs = `((lb_mantissa * lb_power - ${widthUs}) / 1000)`;
const upperMs = '(lb_mantissa * lb_power / 1000)';
const inBucket = `${lowerMs} + (${upperMs} - ${lowerMs}) * ((lb_wanted - lb_up_to + lb_held - 0.5) / lb_held)`;
const timeOf = `multiIf(lb_held = 0, NULL, lb_key <= 100, (greatest(lb_key - 10, 0) / 1000 + lb_key / 1000) / 2,
    least(greatest(${inBucket}, ${upperMs} / 1.025), ${lowerMs} * 1.025))`;

/** Whether the statement names a call itself, with AS or without. */
function hasName(next: Token | undefined): boolean {
  return (
    isWord(next, 'AS') ||
    next?.kind === 'quotedName' ||
    (next?.kind === 'word' && !followers.has(next.text.toUpperCase()))
  );
}

/** Words that may follow an expression, and are no name for it. */
const followers: ReadonlySet<string> = new Set(
  `FROM WHERE PREWHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS FORMAT UNION EXCEPT INTERSECT INTO
  AND OR NOT IN LIKE ILIKE BETWEEN IS DIV MOD THEN ELSE END WHEN ASC DESC ASCENDING DESCENDING NULLS COLLATE WITH BY ON USING
  GLOBAL REGEXP APPLY REPLACE ROWS RANGE TO STEP`.split(/\s+/),
);
