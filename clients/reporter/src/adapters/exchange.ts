import type { Reporter } from '../create-reporter.js';
import { unmatched } from '../templates.js';

/** The part of Node's request that is used. */
export type NodeRequest = { method?: string | undefined };

/** The part of Node's response that is used. */
export type NodeResponse = {
  statusCode: number;
  writableEnded: boolean;
  writableFinished: boolean;
  on(event: 'finish' | 'close', listener: () => void): unknown;
};

export type AdapterOptions = {
  /** Whether messages of errors are sent; off by default, because they may contain personal data. */
  messages?: boolean;
};

/** A client that has gone before the end of its answer; nginx has this status for it. */
export const clientGone = 499;

/**
 * Reporters that count an exchange, kept on its object: with a WeakMap and a WeakSet for each request, a hello-world of
 * Fastify had half the throughput (`npm run bench:reporter`).
 */
const reportersOf = Symbol('heartline.reporters');

/** Returns whether the reporter does not count the exchange of this response or request yet, and notes that it does. */
export function isFirstWatch(exchange: object, reporter: object): boolean {
  const watched = exchange as { [reportersOf]?: object[] };
  if (watched[reportersOf]?.includes(reporter)) return false;
  if (watched[reportersOf] === undefined) watched[reportersOf] = [reporter];
  else watched[reportersOf].push(reporter);
  return true;
}

/**
 * Counts one exchange when it ends, once for each reporter, however many adapters see it. `about` is asked at the end,
 * when routers have run.
 */
export function watchExchange(
  reporter: Pick<Reporter, 'record'>,
  req: NodeRequest,
  res: NodeResponse,
  about: { template(): string | undefined; error?(): unknown },
): void {
  const startedAt = performance.now();
  let isOver = false;
  const end = (isWhole: boolean): void => {
    if (isOver) return;
    isOver = true;
    reporter.record({
      endpoint: ask(about.template) ?? unmatched,
      method: req.method ?? 'GET',
      status: isWhole ? res.statusCode : clientGone,
      ms: performance.now() - startedAt,
      message: messageOf(about.error && ask(about.error)),
    });
  };
  try {
    if (!isFirstWatch(res, reporter)) return;
    // A response of node:http2 also finishes when it was cancelled, one of light-my-request is never writableFinished.
    res.on('finish', () => end(res.writableEnded));
    res.on('close', () => end(res.writableFinished));
  } catch {
    // It is no response of Node.js, and is not counted.
  }
}

/** The objects of a framework may look different from what we know of them; that must not reach the host. */
export function ask<T>(question: () => T): T | undefined {
  try {
    return question();
  } catch {
    return undefined;
  }
}

export function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}
