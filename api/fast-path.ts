import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { anyOriginHeaders } from './any-origin.js';
import { failEarly } from './failed-early.js';
import { type ObserveDeps, outcomeOf, record, requestIdOf } from './observe.js';
import type { Exchange } from './read-body.js';
import { settleTarget } from './request-target.js';
import type { BatchRoute, ReadyAnswer } from './route.js';
import type { PeekableRoute, RouteTable } from './route-table.js';
import type { HostVariation } from './vary-by-host.js';

type Deps = ObserveDeps & { table: RouteTable; hostVariation: HostVariation };

const jsonType = 'application/json; charset=utf-8';

type Found = { route: PeekableRoute; answer: ReadyAnswer };

/** An answer that has not been sent yet. `startedAt` is when its request came, in milliseconds of `performance.now()`. */
type Waiting = Found & { res: ServerResponse; startedAt: number };

/** A path and a query string as the application takes them apart as well; any other URL is left to the application. */
const plainUrl = /^(\/[^?#\s]*)(?:\?([^#\s]*))?$/;

/**
 * Answers requests whose answer is in memory and batches that are accepted, and leaves the others to the application:
 * its middleware takes several times as long as the rest of such a request. Request id, metrics and log are those of
 * the application.
 *
 * Answers from memory go out together, when all requests that have arrived are read. Alternating between reading and
 * writing costs half as much again per request, because each write then wakes a receiver that has just gone to sleep.
 */
export function answerOnFastPath(deps: Deps, application: RequestListener): RequestListener {
  let waiting: Waiting[] = [];
  const sendWaiting = (): void => {
    const batch = waiting;
    waiting = [];
    for (const one of batch) send(deps, one);
  };
  return (req, res) => {
    const startedAt = performance.now();
    if (!settleTarget(req) || req.headers.expect !== undefined) return application(req, res);
    const route = req.method === 'POST' ? deps.table.findBatchRoute(req.url ?? '') : undefined;
    if (route !== undefined) return answerBatch(deps, application, { req, res, route, startedAt });
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const found = isRead ? findAnswer(deps.table, req) : undefined;
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

/** Does the work of a batch and answers it. When that fails, the application answers with the error. */
function answerBatch(
  deps: Deps,
  application: RequestListener,
  { req, res, route, startedAt }: Exchange & { route: BatchRoute; startedAt: number },
): void {
  const requestId = requestIdOf(req);
  const recordAs = (status: number): void =>
    record(deps, { requestId, method: route.method, route: route.path, status, startedAt });
  deps.table.accept(
    route,
    { req, res },
    {
      onAnswer(answer) {
        // The parser may have answered instead.
        const outcome = outcomeOf(res, res.headersSent ? res.statusCode : 202);
        if (!res.headersSent) sendAccepted(res, requestId, JSON.stringify(answer));
        recordAs(outcome);
      },
      onFault(error) {
        // The parser may have refused the body: that error is then the answer.
        if (res.headersSent) return recordAs(outcomeOf(res, res.statusCode));
        failEarly(req, { error, requestId, startedAt });
        application(req, res);
      },
    },
  );
}

/** A flat array of headers, and no other that is set, is what Node.js writes with the least work. */
function sendAccepted(res: ServerResponse, requestId: string, answer: string): void {
  const length = String(Buffer.byteLength(answer));
  res.writeHead(202, ['x-request-id', requestId, 'Content-Type', jsonType, 'Content-Length', length]);
  res.end(answer);
}
