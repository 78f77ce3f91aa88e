/** A function of the driver that takes over a query when it is executed. A query that is a part of another one never is. */
export type Handler = ((query: DriverQuery) => void) & { debug?: unknown };

/** Members of a query of postgres 3.4.9 that its types do not name. */
export type DriverQuery = Promise<unknown> & {
  handler: Handler;
  /** Asks the server to stop the query, over a connection of its own. */
  canceller: ((query: DriverQuery) => Promise<unknown>) | null;
  /** The connection that has sent the query; null until then. */
  state: object | null;
  strings: readonly string[];
  args: unknown[];
  /** The driver settles the query through these two. */
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

export function isDriverQuery(value: unknown): value is DriverQuery {
  return value instanceof Promise && 'handler' in value && 'canceller' in value;
}

/** Lets `execute` take over a query in place of the driver; returns the query. Leaves every other value as it is. */
export function interceptQuery<T>(query: T, execute: (query: DriverQuery, proceed: Handler) => void): T {
  if (!isDriverQuery(query)) return query;
  const proceed = query.handler;
  // The driver reads `debug` of the handler to decide about stack traces.
  query.handler = Object.assign((asked: DriverQuery) => execute(asked, proceed), { debug: proceed.debug });
  return query;
}

/**
 * Makes a query that nobody waits for harmless. The driver may hold it for a connection that it is opening, and has no
 * way to take it out from there without losing that connection.
 */
export function neutralise(query: DriverQuery): void {
  query.strings = ['select 1'];
  query.args = [];
}
