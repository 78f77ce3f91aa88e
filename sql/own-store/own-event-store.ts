import { setMaxListeners } from 'node:events';
import { type BoundedAnswer, exchangeBounded } from '../../lib/outbound/bounded-exchange.js';
import type { Route } from '../../lib/outbound/connect.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { startDeadline } from '../../lib/timeout.js';
import { ownStoreLimits } from './limits.js';
import { explainOwnStore, throwFailure } from './own-store-error.js';
import { type RowType, readJsonRows } from './read-json-rows.js';
import { holding, inTurn, type OwnStoreTurns } from './turns.js';

/** Where a page's own event store is. */
export type EventStoreAddress = {
  /** `http(s)://host:port`. */
  url: string;
  /** Empty for the default database of the user. */
  database: string;
  username: string;
  password: string;
};

/** Rows to load. An answer of more than `rowsMax` rows is an error, and so is one of more bytes than they may have. */
export type RowsQuery = { query: string; parameters?: Parameters; rowsMax: number; rowBytesMax?: number };

/** Requests that belong together, such as all for one answer of the API: they share one time limit. */
export type OwnStoreSession = {
  /** The same for all sessions of a store: the key of what is remembered of it. */
  store: object;
  /** @throws OwnStoreError; ServiceError `sqlTooExpensive` when ClickHouse ends the query for its time or memory. */
  loadRows<Row>(type: RowType<Row>, query: RowsQuery): Promise<Row[]>;
  /** Runs a statement without a result. @throws as loadRows() does. */
  command(query: string, parameters?: Parameters): Promise<void>;
};

type Settings = Readonly<Record<string, string | number>>;

/**
 * The ClickHouse of a page, which may be any server that speaks HTTP. Whatever it answers, a request costs no more than
 * `ownStoreLimits`.
 */
export type OwnEventStore = {
  /** Starts a session. All of its requests end within `sessionMs`, 20 s when not given. */
  begin(sessionMs?: number): OwnStoreSession;
  /** Inserts a block of bytes. @throws OwnStoreError; the reason of `signal`. */
  insert(query: string, bytes: Buffer, settings: Settings, signal?: AbortSignal): Promise<void>;
  /** Ends the sessions. */
  close(): void;
};

export type OwnStoreDeps = {
  outbound: Route;
  turns: OwnStoreTurns;
  /** The page whose turns the requests take. */
  key: string;
  /** For all sessions and inserts. */
  sessionMs?: number | undefined;
};

/** As in openClickHouse(): on a cluster of the tenant, no row and no shard is left out. */
const settingsOfAll: Settings = {
  session_timezone: 'UTC',
  distributed_foreground_insert: 1,
  skip_unavailable_shards: 0,
};

const settingsOfReads: Settings = {
  default_format: 'JSONEachRow',
  output_format_json_quote_64bit_integers: 0,
  // Otherwise an error in the middle of the query arrives as a row.
  wait_end_of_query: 1,
};

type Request = { settings: Settings; body: string | Buffer; bytesMax?: number; signal: AbortSignal };

/** Opens a page's own event store. It connects at the first request, and keeps no connection. */
export function openOwnEventStore(address: EventStoreAddress, deps: OwnStoreDeps): OwnEventStore {
  const { turns, key } = deps;
  const sessionMsUsual = deps.sessionMs ?? ownStoreLimits.sessionMs;
  const closing = new AbortController();
  // Each session listens, and their number is bounded elsewhere.
  setMaxListeners(0, closing.signal);

  async function send<T>(
    { settings, body, bytesMax = ownStoreLimits.shortAnswerBytes, signal }: Request,
    read: (answer: BoundedAnswer) => Promise<T>,
  ): Promise<T> {
    const url = urlOf(address, settings);
    const request = { url, headers: headersOf(address), body, answerBytesMax: bytesMax, signal };
    return exchangeBounded(deps.outbound, request, async (answer) => {
      await throwFailure(answer);
      return read(answer);
    });
  }

  async function within<T>(
    leftMs: number,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const tooSlow = () => new EgressError('timeout', 'It takes too long to answer.');
    const deadline = startDeadline(Math.max(0, leftMs), outer, tooSlow);
    try {
      return await work(deadline.signal);
    } catch (error) {
      throw explainOwnStore(error);
    } finally {
      deadline.end();
    }
  }

  function begin(sessionMs = sessionMsUsual): OwnStoreSession {
    const endsAt = performance.now() + sessionMs;
    const ask = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
      within(endsAt - performance.now(), closing.signal, (signal) =>
        inTurn(turns, key, signal, () => work(signal)),
      );
    return {
      store: closing,
      loadRows: (type, { query, parameters = {}, rowsMax, rowBytesMax }) =>
        ask((signal) => {
          const seconds = Math.max(1, Math.ceil(sessionMs / 1_000));
          const settings = {
            ...settingsOfReads,
            max_execution_time: seconds,
            ...writeParameters(parameters),
          };
          const bounds = { rowsMax, lineBytesMax: ownStoreLimits.lineBytes, loopShare: turns.loopShare };
          const request = { settings, body: query, bytesMax: answerBytesMax(rowsMax, rowBytesMax), signal };
          return holding(turns, (count) =>
            send(request, ({ body }) => readJsonRows(count(body), type, bounds)),
          );
        }),
      command: (query, parameters = {}) =>
        ask((signal) => send({ settings: writeParameters(parameters), body: query, signal }, readToEnd)),
    };
  }

  return {
    begin,
    insert: (query, bytes, settings, outer) =>
      within(sessionMsUsual, outer, (signal) =>
        send({ settings: { ...settings, query }, body: bytes, signal }, readToEnd),
      ),
    close: () => closing.abort(new EgressError('connection', 'The service has closed it. Retry.')),
  };
}

function answerBytesMax(rowsMax: number, rowBytesMax: number = ownStoreLimits.rowBytes): number {
  const { answerBytes, shortAnswerBytes } = ownStoreLimits;
  return Math.min(answerBytes, shortAnswerBytes + rowsMax * rowBytesMax);
}

function urlOf({ url, database }: EventStoreAddress, settings: Settings): URL {
  const whole = new URL(url);
  const named = { ...(database !== '' && { database }), ...settingsOfAll, ...settings };
  for (const [name, value] of Object.entries(named)) whole.searchParams.set(name, String(value));
  return whole;
}

function headersOf({ username, password }: EventStoreAddress): Record<string, string> {
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  return { authorization: `Basic ${credentials}`, 'user-agent': 'heartline' };
}

/** An answer that breaks off is no success. */
async function readToEnd({ body }: BoundedAnswer): Promise<void> {
  for await (const _ of body);
}

type Value = string | number | readonly (string | number | null)[];

/** Values to bind to the parameters of a query, by their names. */
type Parameters = Readonly<Record<string, unknown>>;

/** Writes parameters for the URL as ClickHouse reads them: as in the format TSV, with the texts of an array in quotes. */
function writeParameters(parameters: Parameters): Record<string, string> {
  const entries = Object.entries(parameters) as [string, Value][]; // Our queries have no other values.
  return Object.fromEntries(entries.map(([name, value]) => [`param_${name}`, write(value)]));
}

function write(value: Value): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escapeText(value);
  return `[${value.map((item) => (typeof item === 'string' ? `'${escapeText(item)}'` : String(item))).join(',')}]`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function escapeText(text: string): string {
  return text.replace(/[\\'\t\n\r]/g, (character) => escapes[character] ?? character);
}
