import { randomUUID } from 'node:crypto';
import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { serverFormat } from '../../contract/analytics/sql.js';
import { pageHeader, pageQueryId, sqlLimits } from '../../contract/sql-tables.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { startDeadline } from '../../lib/timeout.js';
import { checkSql } from './check-sql.js';
import { asWritten, type Wording } from './check-tables.js';
import { checkFrames, mayHaveFrames } from './check-windows.js';
import { assertConfinedOnShards } from './confined-shards.js';
import type { PageTurns } from './page-turns.js';
import { type Rewritten, rewriteSql } from './rewrite-sql.js';
import { killQuery } from './running-queries.js';
import { toSqlError } from './sql-errors.js';
import { checkParameters, queryParameters, type SqlTimes } from './sql-parameters.js';
import { locateRefusal, SqlRefusal, sqlErrorAt } from './sql-refusal.js';
import type { SqlSignIn } from './sql-sign-in.js';
import { literal, selectAboutTables } from './table-statements.js';
import { isSymbol, type Token, tokensOf, withoutSemicolons } from './tokens.js';
import { watchServer } from './watch-server.js';

export type PageSqlDeps = {
  /** Opened as the confined user. Its time limit for a request is longer than the query's. */
  sqlClient: ClickHouseClient;
  /** Gives a request of that client the password that the user has. */
  signIn: SqlSignIn;
  /** The service's own client. */
  clickhouse: ClickHouseClient;
  /** Database of the readable tables. */
  database: string;
  /** Name of the cluster over which the tables are spread. */
  cluster?: string | undefined;
  turns: PageTurns;
};

/** Parameters of ClickHouse's HTTP interface. They are no settings, which a read-only user may not change. */
export type SqlWire = {
  /** The result comes in ClickHouse's own compressed blocks. */
  compress?: 1;
  /** The revision of the protocol whose form of Native the caller reads. */
  client_protocol_version?: number;
};

export type PageSqlInput = {
  sql: string;
  /** The name of an output format. The caller takes it from a list: it is not checked here. */
  format: string;
  /** For callers who speak ClickHouse's own protocol: how the result is sent. `format` is then ClickHouse's own name. */
  wire?: SqlWire;
  /** The values of `{from:DateTime}` and `{to:DateTime}`. */
  times?: SqlTimes;
  /** Gets the milliseconds that the server took to answer the query, without waiting for its turn and without the check. */
  onTime?(elapsedMs: number): void;
};

/** Only a SELECT is a statement in parentheses, so nothing can be added around it. */
const explain = 'EXPLAIN AST ';
const opening = '(';
const closing = '\n)';
const astBytesMax = 8 * 1024 * 1024;
/** A query inside a call does not notice its limit; its caller gets an answer, and the query is killed. */
const answerMsMax = (sqlLimits.timeSeconds + 2) * 1_000;

/**
 * Runs a SELECT of a page, or a statement about its tables, confined to the page's rows, and resolves with the whole
 * result. The result is held back until it is complete: in an answer that has begun, an error cannot be distinguished
 * from data.
 *
 * Three things confine the query, each enough for most attacks: the grants of its user, a row filter by the page id, which
 * travels in a header or, on a cluster, in the query's id, and an allow-list over the syntax tree of the same text that
 * then runs. Aborting `signal` stops the query.
 *
 * @throws ServiceError with a sentence about the query; the signal's reason when it is aborted.
 */
export async function runPageSql(
  deps: PageSqlDeps,
  pageId: PageId,
  { sql, format, wire, times = {}, onTime }: PageSqlInput,
  signal?: AbortSignal,
): Promise<Buffer> {
  const tokens = withoutSemicolons(tokensOf(sql));
  const caller = { sql, tokens, database: deps.database };
  checkParameters(sql, tokens, times);
  const { written, rewritten } = prepare(caller);
  const statement = opening + (rewritten?.sql ?? written) + closing;
  const endTurn = await deps.turns.take(pageId, signal);
  const queryId = pageQueryId(pageId, randomUUID());
  const server = watchServer(deps.clickhouse, signal);
  const deadline = startDeadline(answerMsMax, server.signal, () => new ServiceError('sqlTooExpensive'));
  const send = { deps, pageId, queryId, parameters: queryParameters(times), signal: deadline.signal };
  let ended = false;
  let shift = explain.length + opening.length;
  const check = async (text: string, wording: Wording): Promise<void> => {
    const tree = await sendQuery({
      ...send,
      query: explain + text,
      format: 'JSONEachRow',
      bytesMax: astBytesMax,
    });
    checkSql(parseLines(tree), { database: deps.database, times, wording });
  };
  try {
    // Errors have their places in the text that the caller knows.
    if (rewritten === undefined) await check(statement, asWritten);
    else {
      await check(opening + written + closing, { ...asWritten, of: 'caller' });
      const { pageFunctions } = rewritten;
      await check(statement, { of: 'server', pageFunctions, hasStoredNames: true });
    }
    if (mayHaveFrames(sql)) {
      const query = `SELECT formatQuerySingleLine(${literal(statement)})`;
      const formatted = await sendQuery({ ...send, query, format: 'RawBLOB', bytesMax: astBytesMax });
      checkFrames(tokensOf(formatted.toString()));
    }
    if (deps.cluster !== undefined) await assertConfinedOnShards(deps, deadline.signal);
    shift = opening.length;
    const result = await sendQuery({
      ...send,
      query: statement,
      format: wire === undefined ? serverFormat(format) : format,
      wire,
      bytesMax: sqlLimits.resultBytes,
      onTime,
    });
    ended = true;
    return result;
  } catch (error) {
    ended = error instanceof ClickHouseError || (error instanceof ServiceError && !deadline.signal.aborted);
    // With the reason of the caller, or the one for a query that takes too long.
    deadline.signal.throwIfAborted();
    throw toSqlError(error, { ...caller, shift });
  } finally {
    // The server notices by itself that the caller has left, but was measured to take until its time limit. It may be
    // unavailable; a query that runs on is then killed by watchQueries().
    const killed = ended ? undefined : killQuery(deps, queryId);
    void Promise.allSettled([killed]).then(endTurn);
    server.stop();
    deadline.end();
  }
}

type Caller = { sql: string; tokens: readonly Token[]; database: string };

/**
 * Returns the SELECT, without the usual semicolon at its end, which does not parse in parentheses: as it is written, and
 * as it runs where that differs.
 *
 * @throws ServiceError for a statement that is no SELECT and not about tables.
 */
function prepare({ sql, tokens, database }: Caller): { written: string; rewritten: Rewritten | undefined } {
  try {
    const semicolon = tokens.find((token) => isSymbol(token, ';'));
    if (semicolon !== undefined) {
      throw sqlErrorAt(
        sql,
        semicolon.start,
        'More text follows the semicolon',
        'Send one statement at a time.',
      );
    }
    const answer = selectAboutTables(tokens, database);
    if (answer !== undefined) return { written: answer, rewritten: undefined };
    return { written: sql.slice(0, tokens.at(-1)?.end), rewritten: rewriteSql(sql, tokens, database) };
  } catch (error) {
    throw error instanceof SqlRefusal ? locateRefusal(sql, tokens, error) : error;
  }
}

type Send = {
  deps: PageSqlDeps;
  pageId: PageId;
  queryId: string;
  query: string;
  parameters: Record<string, string>;
  format: string;
  bytesMax: number;
  wire?: SqlWire | undefined;
  onTime?: ((elapsedMs: number) => void) | undefined;
  signal: AbortSignal;
};

async function sendQuery(send: Send): Promise<Buffer> {
  const { deps, pageId, queryId, query, parameters, format, bytesMax, wire, onTime, signal } = send;
  const { stream, summary } = await deps.signIn((auth) =>
    deps.sqlClient.exec({
      query,
      query_params: parameters,
      query_id: queryId,
      auth,
      http_headers: { [pageHeader]: pageId, 'X-ClickHouse-Format': format },
      // A parameter of the HTTP interface, not a setting, so a read-only user may set it. With it an error in the middle of
      // the query becomes the answer's status instead of a last line of its data.
      clickhouse_settings: { wait_end_of_query: 1, ...wire },
      abort_signal: signal,
    }),
  );
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop closes the stream.
    if (bytes > bytesMax) throw new ServiceError('sqlResultTooLarge');
    chunks.push(chunk);
  }
  if (summary !== undefined) onTime?.(Number(summary.elapsed_ns) / 1e6);
  return Buffer.concat(chunks, bytes);
}

/** Parses the lines of `EXPLAIN` from rows of JSON: as plain text, a line break inside a name looks like the next row. */
function parseLines(tree: Buffer): string[] {
  return tree
    .toString()
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const { explain }: { explain: string } = JSON.parse(row);
      return explain;
    });
}
