import type { Context, Next } from 'koa';
import { errorRegistry } from '../contract/errors.js';
import { createSeldomLog, type Log } from '../lib/log.js';
import { withPrintedCommands } from '../lib/printed-commands.js';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
import { isPostgresLost, isTextRefused, isTransactionConflict } from '../sql/store-errors.js';
import { answerException, hasExceptions } from './clickhouse/exceptions.js';
import { RequestTimeout } from './deadline.js';
import { asOtlpError } from './otlp/answer-otlp.js';
import type { ViewErrors } from './public/view-errors.js';
import { drainBody } from './read-body.js';

export type ErrorDeps = {
  log: Log;
  /** Without it, as in a service without status pages, every error is JSON. */
  viewErrors?: ViewErrors;
};

/** Turns errors into a status, headers and a body: the one place where a kind of error becomes HTTP. */
export function createErrorAnswers(deps: ErrorDeps): (ctx: Context, next: Next) => Promise<void> {
  const logError = createErrorLog(deps.log);
  return (ctx, next) => answerErrors({ ...deps, logError }, ctx, next);
}

type Deps = ErrorDeps & { logError: ErrorLog };

async function answerErrors(deps: Deps, ctx: Context, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    const known = toServiceError(error, ctx.path);
    deps.logError({ requestId: ctx.state['requestId'], route: ctx['_matchedRoute'] }, error, known);
    // Closing the connection of a client that still sends resets it, and the answer may be lost. What was too slow gets no
    // more time.
    const isLate = known?.kind === 'bodyTimeout' || known?.cause instanceof RequestTimeout;
    if (!isLate) await drainBody(ctx.req);
    ctx.status = statusOf(known);
    // Who reads a private page has no key.
    if (ctx.status === 401 && known?.kind !== 'privatePage') ctx.set('www-authenticate', 'Bearer');
    if (known?.retryAfterSeconds !== undefined) ctx.set('retry-after', String(known.retryAfterSeconds));
    if (!ctx.req.complete) ctx.set('connection', 'close');
    if (hasExceptions(ctx.path)) return answerException(ctx, known);
    if (known !== undefined && deps.viewErrors?.answerOutage(ctx, known)) return;
    const address = known?.kind === 'notFound' ? await deps.viewErrors?.findPageAddress(ctx) : undefined;
    if (known?.kind === 'notFound' && deps.viewErrors?.answerNoPage(ctx, address)) return;
    const hint = known?.hint ?? (address && `This page is served at ${address}`);
    const body = {
      error: known?.message ?? errorRegistry.internal.message,
      code: known?.code ?? errorRegistry.internal.code,
      ...(hint !== undefined && { hint: withPrintedCommands(hint) }),
      ...(known?.field !== undefined && { field: known.field }),
      ...(known?.position !== undefined && { position: known.position }),
    };
    ctx.body = body;
    asOtlpError(ctx, body);
  }
}

/** The HTTP status of an error; 500 for a defect. */
export function statusOf(error: ServiceError | undefined): number {
  return errorRegistry[error?.kind ?? 'internal'].status;
}

/** Returns `undefined` for a defect. An outage of ClickHouse arrives as a ServiceError already. */
export function toServiceError(error: unknown, path: string): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (isTextRefused(error)) return path.includes('%00') ? new ServiceError('notFound') : nulInBody();
  if (isTransactionConflict(error)) return changedAtOnce(error);
  return isPostgresLost(error) ? storeUnavailable(error) : undefined;
}

function changedAtOnce(cause: unknown): ServiceError {
  return new ServiceError('storeUnavailable', {
    message: 'Another change of the same data got in the way. Retry.',
    retryAfterSeconds: 1,
    cause,
  });
}

function nulInBody(): ServiceError {
  return new ServiceError('invalidBody', {
    message: 'A text of the request body contains the character U+0000, which cannot be stored.',
  });
}

/** Logs the error of a request, if it belongs into the log. `known` is what the caller gets for it. */
export type ErrorLog = (
  request: { requestId: string; route: string | undefined },
  error: unknown,
  known: ServiceError | undefined,
) => void;

/** Logs defects, and server errors with a cause. Anybody can ask during an outage, so it makes one line in 10 s. */
export function createErrorLog(log: Log): ErrorLog {
  const outages = createSeldomLog(log);
  return (request, error, known) => {
    if (known !== undefined && (statusOf(known) < 500 || known.cause === undefined)) return;
    const err = known?.cause ?? error;
    const fields = { ...request, err };
    if (isPostgresLost(err)) outages.note(fields, 'Requests fail, because PostgreSQL does not answer.');
    else if (err instanceof RequestTimeout)
      outages.note(fields, 'Requests fail, because they take too long.');
    else log.error(fields, known?.message ?? 'A request failed.');
  };
}
