import type { Reporter } from '../create-reporter.js';
import { unmatched } from '../templates.js';

/** What is used of Node's request. */
export type NodeRequest = { method?: string | undefined };

/** What is used of Node's response. */
export type NodeResponse = {
  statusCode: number;
  writableEnded: boolean;
  writableFinished: boolean;
  once(event: 'finish' | 'close', listener: () => void): unknown;
  off(event: 'finish' | 'close', listener: () => void): unknown;
};

export type AdapterOptions = {
  /** Whether messages of errors are sent; off by default, because they may contain personal data. */
  messages?: boolean;
};

/** A client that has gone before the end of its answer; nginx has this status for it. */
export const clientGone = 499;

const watched = new WeakMap<object, WeakSet<object>>();

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
  const reporters = watched.get(res) ?? new WeakSet();
  if (reporters.has(reporter)) return;
  watched.set(res, reporters.add(reporter));
  const startedAt = performance.now();
  const end = (status: number): void => {
    res.off('finish', finish);
    res.off('close', close);
    reporter.record({
      ...{ endpoint: ask(about.template) ?? unmatched, method: req.method ?? 'GET', status },
      ...{ ms: performance.now() - startedAt, message: messageOf(about.error && ask(about.error)) },
    });
  };
  // A response of node:http2 also finishes when it was cancelled, one of light-my-request is never writableFinished.
  const finish = (): void => end(res.writableEnded ? res.statusCode : clientGone);
  const close = (): void => end(res.writableFinished ? res.statusCode : clientGone);
  try {
    res.once('finish', finish);
    res.once('close', close);
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
