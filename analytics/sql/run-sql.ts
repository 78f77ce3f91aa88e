import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import {
  pageHeader,
  pageQueryId,
  shardUsersTable,
  sqlLimits,
  sqlUserName,
} from '../../contract/sql-tables.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkSql } from './check-sql.js';
import type { PageTurns } from './page-turns.js';
import { toSqlError } from './sql-errors.js';

export type PageSqlDeps = {
  /** Opened as the confined user; its time limit for a request is longer than the query's. */
  sqlClient: ClickHouseClient;
  /** The service's own. */
  clickhouse: ClickHouseClient;
  /** Database of the readable tables. */
  database: string;
  /** Whether they are spread over a cluster. */
  onCluster: boolean;
  turns: PageTurns;
  log: Log;
};

export type PageSqlInput = {
  sql: string;
  /** A name of an output format, chosen by code from a list: it is not checked here. */
  format: string;
};

/** The statement is sent in parentheses, where only a SELECT is one, so that nothing can be added around it. */
const explain = 'EXPLAIN AST ';
const opening = '(';
const closing = '\n)';
const astBytesMax = 8 * 1024 * 1024;

/**
 * Runs a SELECT of a page, confined to the page's rows, and resolves with the whole result: it is held back
 * until it is complete, because an error in the middle of an answer that has begun could not be told from data.
 *
 * Three things confine it, each enough for most attacks: the grants of its user, a row filter by the page id
 * that travels in a header, or on a cluster in the query's id, and an allow-list over the syntax tree of the very text that then runs. When
 * `signal` is aborted, the query is stopped.
 *
 * @throws ServiceError with a sentence about the query; the signal's reason when it is aborted.
 */
export async function runPageSql(
  deps: PageSqlDeps,
  pageId: PageId,
  { sql, format }: PageSqlInput,
  signal?: AbortSignal,
): Promise<Buffer> {
  const statement = opening + withoutSemicolon(sql) + closing;
  const endTurn = await deps.turns.take(pageId, signal);
  const queryId = pageQueryId(pageId, randomUUID());
  const send = { deps, pageId, queryId, ...(signal !== undefined && { signal }) };
  let ended = false;
  try {
    const tree = await sendQuery({
      ...send,
      query: explain + statement,
      format: 'JSONEachRow',
      bytesMax: astBytesMax,
    });
    checkSql(readLines(tree), deps.database);
    if (deps.onCluster) await assertConfinedOnShards(deps, signal);
    const result = await sendQuery({ ...send, query: statement, format, bytesMax: sqlLimits.resultBytes });
    ended = true;
    return result;
  } catch (error) {
    ended = error instanceof ClickHouseError || error instanceof ServiceError;
    signal?.throwIfAborted();
    throw toSqlError(error, explain.length + opening.length);
  } finally {
    if (ended) endTurn();
    else void whenGone(deps, queryId).finally(endTurn);
  }
}

/**
 * The row filters hold back what they should only where the confined user reads, and the servers of a cluster that
 * share no secret run each other's queries as another user. Their configuration may change at any time.
 */
async function assertConfinedOnShards(
  { sqlClient, database }: PageSqlDeps,
  signal?: AbortSignal,
): Promise<void> {
  const answer = await sqlClient.query({
    query: `SELECT DISTINCT user FROM ${shardUsersTable}`,
    format: 'JSONEachRow',
    ...(signal !== undefined && { abort_signal: signal }),
  });
  const users = await answer.json<{ user: string }>();
  if (users.length > 0 && users.every(({ user }) => user === sqlUserName(database))) return;
  throw new ServiceError('storeUnavailable', {
    message: 'SQL is not set up on this ClickHouse cluster; docs/cluster.md says how.',
  });
}

/** A semicolon at the end is usual, and would not parse in parentheses. */
function withoutSemicolon(sql: string): string {
  let end = sql.length;
  while (end > 0 && ' \t\r\n;'.includes(sql.charAt(end - 1))) end -= 1;
  return sql.slice(0, end);
}

type Send = {
  deps: PageSqlDeps;
  pageId: PageId;
  queryId: string;
  query: string;
  format: string;
  bytesMax: number;
  signal?: AbortSignal;
};

async function sendQuery({ deps, pageId, queryId, query, format, bytesMax, signal }: Send): Promise<Buffer> {
  const { stream } = await deps.sqlClient.exec({
    query,
    query_id: queryId,
    http_headers: { [pageHeader]: pageId, 'X-ClickHouse-Format': format },
    // A parameter of the HTTP interface, not a setting, so a read-only user may give it. It makes an error in the
    // middle of the query the answer's status instead of a last line of its data.
    clickhouse_settings: { wait_end_of_query: 1 },
    ...(signal !== undefined && { abort_signal: signal }),
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes > bytesMax) throw new ServiceError('sqlResultTooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

/** Lines of `EXPLAIN` as rows of JSON: a line break inside of a name could not be told from the next row. */
function readLines(tree: Buffer): string[] {
  return tree
    .toString()
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const { explain }: { explain: string } = JSON.parse(row);
      return explain;
    });
}

const goneChecksMax = 1_800;
const goneWarningAfter = 30;

/**
 * Resolves when a query that nobody waits for any more has left the server. ClickHouse looks at the clock and at
 * the connection between blocks only, so one call on a long value can go on for minutes; until then it counts as
 * the page's running query. After half an hour it is given up.
 */
async function whenGone({ clickhouse, log }: PageSqlDeps, queryId: string): Promise<void> {
  const kill = { query: 'KILL QUERY WHERE query_id = {id:String} ASYNC', query_params: { id: queryId } };
  // The server notices by itself that nobody listens, but was measured to take until the limit of time.
  await clickhouse.command(kill).catch(() => undefined);
  for (let check = 1; check <= goneChecksMax; check += 1) {
    if (!(await isRunning(clickhouse, queryId))) return;
    if (check === goneWarningAfter)
      log.warn({ queryId }, 'A query of a page does not stop; KILL QUERY or restart ClickHouse.');
    await delay(1_000, undefined, { ref: false });
  }
}

/** True when it cannot be asked. */
async function isRunning(clickhouse: ClickHouseClient, queryId: string): Promise<boolean> {
  try {
    const result = await clickhouse.query({
      query: 'SELECT count() AS running FROM system.processes WHERE query_id = {id:String}',
      query_params: { id: queryId },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    });
    const [row] = await result.json<{ running: number }>();
    return row === undefined || row.running > 0;
  } catch {
    return true;
  }
}
