import { QueryTimeout } from '../query-timeout.js';
import { type Connection, createConnection, type DriverOptions } from './connection.js';
import type { DriverQuery } from './driver-query.js';

/** Queries and transactions that wait for a connection. More are refused at once. */
const waitingMax = 5_000;

export type Pool = {
  /** Any of the connections: to make queries with, not to run them. */
  readonly first: Connection;
  /** Runs a query, which rejects with a QueryTimeout after `timeoutMs` milliseconds, the wait for a connection included. */
  run(query: DriverQuery, timeoutMs: number): void;
  /**
   * Returns a connection that nobody else uses; give it back with `release` when it is settled.
   *
   * @throws QueryTimeout when none is free within `timeoutMs` milliseconds, or too much waits already.
   */
  acquire(timeoutMs: number): Promise<Connection>;
  release(connection: Connection): void;
  /** Ends every connection: waits for the queries of each, for `timeout` seconds at most. */
  end(options?: { timeout?: number | undefined }): Promise<void>;
};

type Place = (connection: Connection) => void;

/**
 * Connections that run one query each. What waits for one waits here and not in the driver, whose queues have no bound
 * and run a query that was given up long ago once the server is back.
 */
export function createPool(url: string, options: DriverOptions & { max: number }): Pool {
  const first = createConnection(url, options);
  const others = Array.from({ length: options.max - 1 }, () => createConnection(url, options));
  const connections = [first, ...others];
  /** The last one is used next, so that few stay open. */
  const idle = [...others, first];
  /** The oldest first. */
  const waiting = new Set<Place>();

  function acquire(timeoutMs: number): Promise<Connection> {
    const connection = idle.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) {
        reject(new QueryTimeout(`${waiting.size} queries wait for PostgreSQL already.`));
        return;
      }
      const place: Place = (given) => {
        clearTimeout(timer);
        resolve(given);
      };
      const timer = setTimeout(() => {
        waiting.delete(place);
        reject(new QueryTimeout(`No connection to PostgreSQL was free within ${Math.round(timeoutMs)} ms.`));
      }, timeoutMs);
      waiting.add(place);
    });
  }

  function release(connection: Connection): void {
    const [next] = waiting;
    if (next !== undefined) {
      waiting.delete(next);
      next(connection);
    } else if (connection.isOpen) idle.push(connection);
    else idle.unshift(connection);
  }

  async function runNow(query: DriverQuery, timeoutMs: number): Promise<void> {
    const startedAt = performance.now();
    const connection = await acquire(timeoutMs).catch((error: unknown) => query.reject(error));
    if (connection === undefined) return;
    await connection.run(query, Math.max(0, timeoutMs - (performance.now() - startedAt)));
    release(connection);
  }

  return {
    first,
    acquire,
    release,
    run: (query, timeoutMs) => void runNow(query, timeoutMs),
    async end(end) {
      await Promise.all(connections.map(({ client }) => client.end(end)));
    },
  };
}
