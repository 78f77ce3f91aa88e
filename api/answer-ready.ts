import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Log } from '../contract/log.js';
import { readRequestId, record } from './app.js';
import type { Metrics } from './metrics.js';
import type { OpenRoute, ReadyAnswer, Route } from './route.js';

type Deps = { routes: readonly Route[]; metrics: Metrics; log: Log };

type ReadyRoute = { path: string; form: RegExp; answer: NonNullable<OpenRoute['answerReady']> };

/**
 * Answers what is ready in memory, and leaves all else to the application: matching a route and the middleware take
 * several times as long as sending such an answer. Request id, metrics and log are those of the application.
 */
export function answerReadyFirst(deps: Deps, application: RequestListener): RequestListener {
  const routes = deps.routes.flatMap(toReadyRoute);
  return (req, res) => {
    const startedAt = performance.now();
    const found = req.method === 'GET' || req.method === 'HEAD' ? findAnswer(routes, req) : undefined;
    if (found === undefined) return application(req, res);
    const requestId = readRequestId(req);
    send(res, found.answer, requestId);
    const { status } = found.answer;
    record(deps, { requestId, method: req.method ?? '', route: found.path, status, startedAt });
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

function send(res: ServerResponse, { status, headers, body }: ReadyAnswer, requestId: string): void {
  res.writeHead(status, [...headers, 'x-request-id', requestId]);
  res.end(res.req.method === 'HEAD' ? undefined : body);
}
