import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { anyOriginHeaders } from './any-origin.js';
import { type ObserveDeps, outcomeOf, record, requestIdOf } from './observe.js';
import { settleTarget } from './request-target.js';
import type { ReadyAnswer } from './route.js';
import type { PeekableRoute, RouteTable } from './router.js';
import type { HostVariation } from './vary-by-host.js';

type Deps = ObserveDeps & { table: RouteTable; hostVariation: HostVariation };

type Found = { route: PeekableRoute; answer: ReadyAnswer };

/** An answer that has not been sent yet. `startedAt` is when its request came, in milliseconds of `performance.now()`. */
type Waiting = Found & { res: ServerResponse; startedAt: number };

/** A path and a query string as the application takes them apart as well; any other URL is left to the application. */
const plainUrl = /^(\/[^?#\s]*)(?:\?([^#\s]*))?$/;

/**
 * Answers requests whose answer is in memory, and leaves the others to the application: its middleware takes several
 * times as long as sending such an answer. Request id, metrics and log are those of the application.
 *
 * The answers go out together, when all requests that have arrived are read. Alternating between reading and writing
 * costs half as much again per request, because each write then wakes a receiver that has just gone to sleep.
 */
export function answerFromMemoryFirst(deps: Deps, application: RequestListener): RequestListener {
  let waiting: Waiting[] = [];
  const sendWaiting = (): void => {
    const batch = waiting;
    waiting = [];
    for (const one of batch) send(deps, one);
  };
  return (req, res) => {
    const startedAt = performance.now();
    const isPlain = settleTarget(req) && req.headers.expect === undefined;
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const found = isPlain && isRead ? findAnswer(deps.table, req) : undefined;
    if (found === undefined) return application(req, res);
    waiting.push({ res, ...found, startedAt });
    if (waiting.length === 1) setImmediate(sendWaiting);
  };
}

function findAnswer(table: RouteTable, req: IncomingMessage): Found | undefined {
  const [, path, query = ''] = plainUrl.exec(req.url ?? '') ?? [];
  const found = path === undefined ? undefined : table.findPeekable(path);
  if (found === undefined || path === undefined) return undefined;
  const { route, params } = found;
  const answer = route.peek(req, { headers: req.headers, path, params, query });
  return answer && { route, answer };
}

function send(deps: Deps, { res, route, answer, startedAt }: Waiting): void {
  // The parser may have refused the body of the request since: that error is then its answer.
  if (res.headersSent) return;
  const { status, headers, body } = answer;
  const method = res.req.method ?? '';
  const requestId = requestIdOf(res.req);
  const outcome = outcomeOf(res, status);
  const ofRoute = route.anyOrigin ? anyOriginHeaders : [];
  res.writeHead(status, [...deps.hostVariation.addTo(headers), ...ofRoute, 'x-request-id', requestId]);
  res.end(method === 'HEAD' ? undefined : body);
  record(deps, { requestId, method, route: route.path, status: outcome, startedAt });
}
