import type { Context } from 'koa';
import type { TObject } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { Actor } from '../../control/audit/index.js';
import { countKeyRequest, type KeyCache } from '../../control/keys/index.js';
import { findPageId, loadPageId } from '../../control/pages/index.js';
import { countUserRequest, type Passwords } from '../../control/people/index.js';
import type { Clock } from '../../lib/clock.js';
import type { KeyId, UserId } from '../../lib/ids.js';
import { describeBody, parseJson } from '../../lib/parse-body.js';
import { parseParameters } from '../../lib/query-parameters.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Timeouts } from '../../lib/timeouts.js';
import { requestLimits, type Sql } from '../../sql/open-postgres.js';
import { requestMsMax, withinDeadline } from '../deadline.js';
import { answerRate, createUsageCounter } from '../rate-limits.js';
import { type BodyBudget, readBody } from '../read-body.js';
import type { OriginParser } from '../request-origin.js';
import { actorOf, type Caller, findCaller, type ManagedPage } from './caller.js';
import { checkPermission } from './check-permission.js';
import { createFindSession } from './find-session.js';
import type { ManageBodyRoute, ManagedBody, ManageRoute } from './manage-route.js';
import { refuseOtherOrigin } from './same-origin.js';
import { createSessionCookies } from './session-cookie.js';

export const manageRequestsPerMinute = 600;

export type ManageDeps = {
  sql: Sql;
  clock: Clock;
  passwords: Pick<Passwords, 'welcome'>;
  parseOrigin: OriginParser;
  /** Address of the service. */
  baseUrl(): string;
  /**
   * The operator, who makes every request without credentials and without a limit. Only for an application that does
   * not listen: every request that reaches it has the rights of the operator.
   */
  operator?: Actor;
};

export type BodyReading = { timeouts: Timeouts; budget: BodyBudget };

/** Answers a request for a route of the management API. */
export type AnswerCall = (
  ctx: Context,
  route: ManageRoute | ManageBodyRoute,
  deps: { keys: Pick<KeyCache, 'find'>; reading: BodyReading },
) => Promise<void>;

/**
 * Makes the checks of the management API, in this order: 401 without credentials, 403 for a change from another origin,
 * 429 for too many requests, 404 for a page that the caller may not read, 403 for what the caller may not do, then the
 * query, the body and its fields.
 */
export function createAnswerCall(deps: ManageDeps): AnswerCall {
  const countUse = createCallerCounter(deps);
  const cookies = createSessionCookies(deps);
  const validators = new WeakMap<object, Validator>();
  const findSession = createFindSession(deps);
  const lookUp = {
    findPageId: (slug: string) =>
      deps.operator === undefined ? findPageId(deps, slug) : loadPageId(deps.sql, slug),
  };

  return async (ctx, route, { keys, reading }) => {
    const startedAt = performance.now();
    const findSignedIn = (token: string) => findSession(token, deps.parseOrigin(ctx).clientAddress);
    const caller: Caller =
      deps.operator === undefined
        ? await findCaller({ findSignedIn, keys, cookies }, ctx.req)
        : { type: 'operator', actor: deps.operator };
    if (caller.type === 'user') {
      refuseOtherOrigin(ctx.req, deps.baseUrl());
      if (caller.user.isExtended) cookies.set(ctx, cookies.read(ctx) ?? '');
    }
    if (caller.type !== 'operator') await countUse(ctx, caller);
    const page = await checkPermission(caller, route, ctx['params'].page, lookUp.findPageId);
    const query = parseParameters(
      ctx.query,
      Object.keys((route.query as TObject | undefined)?.properties ?? {}),
    );
    const leftMs = requestMsMax - (performance.now() - startedAt);
    const body = 'body' in route ? await receive(ctx, route.body, reading) : undefined;
    // A write that is answered with 503 and carried out all the same would be sent again.
    if (caller.type !== 'operator' && leftMs < requestLimits.queryTimeoutMs) throw storeUnavailable();
    const endsAt = performance.now() + leftMs;
    const call = {
      ...{ ctx, caller, query, body, params: ctx['params'] },
      by: actorOf(caller, deps.parseOrigin(ctx).clientAddress),
      msLeft: () => endsAt - performance.now(),
      get page(): ManagedPage {
        if (page === undefined) throw new Error('This route has no page.');
        return page;
      },
    };
    const work = route.manage(call);
    // An operator waits: a command that gives up would report as failed what is done a second later.
    const isUnbounded = route.boundsItself || caller.type === 'operator';
    await (isUnbounded ? work : withinDeadline(work, leftMs, ctx.res));
  };

  async function receive(ctx: Context, description: ManagedBody, { timeouts, budget }: BodyReading) {
    const { schema, bytesMax, mediaType, isOptional } = description;
    const bytes = await readBody(ctx, { bytesMax, timeouts, budget });
    if (mediaType !== undefined) return bytes;
    const value = bytes.length === 0 && isOptional ? {} : parseJson(bytes);
    const check = validators.get(schema) ?? Compile(schema);
    validators.set(schema, check);
    if (check.Check(value)) return value;
    throw new ServiceError('invalidBody', describeBody(check, value));
  }
}

type Counted = Exclude<Caller, { type: 'operator' }>;

function createCallerCounter(deps: ManageDeps): (ctx: Context, caller: Counted) => Promise<void> {
  const bounds = { clock: deps.clock, requestsMax: manageRequestsPerMinute };
  const ofUser = createUsageCounter<UserId>(bounds, (id) => countUserRequest(deps, id));
  const ofKey = createUsageCounter<KeyId>(bounds, (id) => countKeyRequest(deps, id));
  return async (ctx, caller) => {
    const counted = caller.type === 'user' ? ofUser(caller.user.userId) : ofKey(caller.grant.keyId);
    const usage = await counted.catch((cause: unknown) => {
      throw storeUnavailable(cause);
    });
    answerRate(ctx, usage, 'Too many requests; wait and retry.');
  };
}
