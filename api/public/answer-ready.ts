import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Log } from '../../lib/log.js';
import type { Metrics } from '../../service/metrics.js';
import { readRequestId, record } from '../app.js';
import type { OpenRoute, ReadyAnswer, Route } from '../route.js';

type Deps = { routes: readonly Route[]; metrics: Metrics; log: Log };

type ReadyRoute = { path: string; form: RegExp; answer: NonNullable<OpenRoute['answerReady']> };

/** An answer that has not been sent yet; `startedAt` is when its request came, as of performance.now(). */
type Waiting = { res: ServerResponse; path: string; answer: ReadyAnswer; startedAt: number };

/**
 * Answers what is ready in memory, and leaves all else to the application: matching a route and the middleware take
 * several times as long as sending such an answer. Request id, metrics and log are those of the application.
 *
 * Answers go out together when all requests that have come in are read. Taking turns of reading and writing costs half
 * as much again per request, because each write then wakes a receiver that has just gone to sleep.
 */
export function answerReadyFirst(deps: Deps, application: RequestListener): RequestListener {
  const routes = deps.routes.flatMap(toReadyRoute);
  let waiting: Waiting[] = [];
  const sendWaiting = (): void => {
    const batch = waiting;
    waiting = [];
    for (const one of batch) send(deps, one);
  };
  return (req, res) => {
    const startedAt = performance.now();
    const found = req.method === 'GET' || req.method === 'HEAD' ? findAnswer(routes, req) : undefined;
    if (found === undefined) return application(req, res);
    waiting.push({ res, path: found.path, answer: found.answer, startedAt });
    if (waiting.length === 1) setImmediate(sendWaiting);
  };
}

function toReadyRoute(route: Route): ReadyRoute[] {
  if (!('answerReady' in route) || route.answerReady === undefined) return [];
  const path = route.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '([\\w-]+)');
  return [{ path: route.path, form: new RegExp(`^${path}(?:\\?(.*))?$`), answer: route.answerReady }];
}

function findAnswer(
  routes: readonly ReadyRoute[],
  req: IncomingMessage,
): { path: string; answer: ReadyAnswer } | undefined {
  for (const { path, form, answer } of routes) {
    const match = form.exec(req.url ?? '');
    if (match === null) continue;
    const ready = answer(req, match.slice(1));
    return ready && { path, answer: ready };
  }
  return undefined;
}

function send(deps: Deps, { res, path, answer, startedAt }: Waiting): void {
  const { status, headers, body } = answer;
  const method = res.req.method ?? '';
  const requestId = readRequestId(res.req);
  res.writeHead(status, [...headers, 'x-request-id', requestId]);
  res.end(method === 'HEAD' ? undefined : body);
  record(deps, { requestId, method, route: path, status, startedAt });
}
