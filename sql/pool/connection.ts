import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import postgres from 'postgres';
import { QueryTimeout } from '../query-timeout.js';
import { type DriverQuery, isDriverQuery, neutralise } from './driver-query.js';

/** Options of the driver, with their types. */
export type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<bigint> }>;
type Client = postgres.Sql<{ bigint: bigint }>;

/** One connection of a pool, which runs one query or transaction at a time. */
export type Connection = {
  /** The driver, with this connection alone. */
  readonly client: Client;
  /** Whether it is connected: a query need not wait for a login. */
  readonly isOpen: boolean;
  /**
   * Runs a query. The query rejects with a QueryTimeout after `timeoutMs` milliseconds; the server is asked to stop it
   * then, and the connection is replaced. Resolves when the connection can be used again, and never rejects.
   */
  run(query: DriverQuery, timeoutMs: number): Promise<void>;
  /** Cuts the connection, after asking the server to stop `query`. The next query connects again. */
  abandon(query?: DriverQuery): void;
  /** Resolves when the driver has noticed an end of the connection; at once when there is none. */
  settled(): Promise<void>;
};

/** Before each attempt once every host of a URL has failed: without it, eight connections made 1,900 attempts a second. */
const retryPauseMs = 250;

export function createConnection(url: string, options: DriverOptions): Connection {
  const sockets = createSockets();
  // The types of the driver lack this option, which its documentation has.
  const client: Client = postgres(url, { ...options, max: 1, socket: sockets.open } as DriverOptions);
  const { handler, canceller } = probe(client);

  function abandon(query?: DriverQuery): void {
    if (query !== undefined && query.state !== null && canceller !== null) {
      // The driver opens the socket for it within this call.
      sockets.whileCancelling(() => void canceller(query).catch(() => {}));
    }
    sockets.current()?.destroy();
  }

  /**
   * Between the end of its socket and the event `close`, the driver would write to the socket, and wait for ever or throw
   * in a timer. Node emits the event between two immediates; `socket.closed` is true before that.
   */
  async function settled(): Promise<void> {
    if (!sockets.current()?.destroyed) return;
    await nextTurn();
    await nextTurn();
  }

  async function run(query: DriverQuery, timeoutMs: number): Promise<void> {
    await settled();
    await new Promise<void>((resolve) => {
      const { resolve: answer, reject: fail } = query;
      const timer = setTimeout(expire, timeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      function expire(): void {
        if (query.state === null) neutralise(query);
        abandon(query);
        fail(new QueryTimeout('PostgreSQL did not answer a query in time.'));
        // With several hosts the driver does not settle a query whose connection closes while it logs in.
        if (query.state !== null) void settled().then(end);
      }
      query.resolve = (value) => {
        answer(value);
        end();
      };
      query.reject = (error) => {
        fail(error);
        end();
      };
      handler(query);
    });
    await settled();
  }

  return {
    client,
    get isOpen() {
      const socket = sockets.current();
      return socket !== undefined && !socket.destroyed && !socket.writableEnded && !socket.connecting;
    },
    run,
    abandon,
    settled,
  };
}

/** The hosts of a URL; or the path of a socket of Unix. */
type Places = { host: string[]; port: number[]; path?: string | false };

/** Opens the sockets of a connection, and knows the current one. */
function createSockets() {
  let socket: Socket | undefined;
  let isCancelling = false;
  let attempts = 0;
  /** Attempts since the last one that reached a server. */
  let failures = 0;

  /** Notes an attempt to connect. Returns the milliseconds to wait before it. */
  function noteAttempt(opened: Socket, hosts: number): number {
    const pauseMs = hosts > 1 && failures >= hosts ? retryPauseMs : 0;
    socket = opened;
    attempts += 1;
    failures += 1;
    opened.once('connect', () => {
      failures = 0;
    });
    return pauseMs;
  }

  return {
    current: () => socket,
    /** The driver calls it for each attempt to connect, and tries the hosts of a URL in turn. */
    open({ host, port, path }: Places): Socket {
      const opened = new Socket();
      // A request to stop a query goes to the host that has the query.
      const pauseMs = isCancelling ? 0 : noteAttempt(opened, host.length);
      const at = (attempts - 1) % host.length;
      const connect = (): void => {
        if (opened.destroyed) return;
        if (path) opened.connect(path);
        else opened.connect(port[at] ?? 5432, host[at] ?? 'localhost');
      };
      // The driver listens for errors a turn later, and connect() may fail before that, such as without a route.
      if (pauseMs > 0) setTimeout(connect, pauseMs);
      else queueMicrotask(connect);
      // The driver reads both, for TLS and for its errors.
      return Object.assign(opened, { host: host[at], port: port[at] });
    },
    /** Runs `cancel`, whose socket does not become the current one. */
    whileCancelling(cancel: () => void): void {
      isCancelling = true;
      cancel();
      isCancelling = false;
    },
  };
}

/** Returns the functions of the driver for the queries of a client: each query carries them. This one is never executed. */
function probe(client: Client): Pick<DriverQuery, 'handler' | 'canceller'> {
  const query: unknown = client.unsafe('');
  if (!isDriverQuery(query)) throw new Error('The driver of PostgreSQL makes queries of an unknown form.');
  return { handler: query.handler, canceller: query.canceller };
}
