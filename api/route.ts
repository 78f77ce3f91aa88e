import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Capability, Scope } from '../contract/scopes.js';
import type { KeyGrant } from '../control/keys/index.js';
import type { Chunks } from '../lib/chunks.js';
import type { ManageBodyRoute, ManageRoute } from './manage/manage-route.js';
import type { AnswerBody, BodyDescription, Described, PathParams } from './openapi/described.js';
import type { KeyRateLimit } from './rate-limits.js';
import type { Form } from './read-form.js';

/** Who may call a route. `keyError` is the sentence of its 401. */
export type Access = {
  scope: Exclude<Scope, 'manage' | 'admin'>;
  capability: Capability;
  keyError: 'invalidKey' | 'invalidIngestKey';
  /** The page must have this switched on, as well as the account. */
  feature?: 'database-health';
  /** Shared by the routes that count together. */
  rate?: KeyRateLimit;
};

export type { AnswerBody, PathParams };

/** An answer as it is sent. `headers` lists names and values in turn, without the request id. */
export type ReadyAnswer = { status: number; headers: readonly string[]; body: Buffer | undefined };

/** The parts of a request that a public read depends on, besides the host. */
export type PublicRequest = {
  headers: IncomingHttpHeaders;
  path: string;
  params: PathParams;
  /** Without the question mark; empty when there is none. */
  query: string;
};

/** A route with everything that the router, the checks before it and the OpenAPI description need. */
export type OpenRoute = Described & {
  access?: never;
  handle(ctx: Context): void | Promise<void>;
  /**
   * Answers a GET or HEAD from memory, without the middleware of the application. Returns `undefined` when the answer
   * has to be built or the request is refused; `handle` then answers.
   */
  peek?(req: IncomingMessage, request: PublicRequest): ReadyAnswer | undefined;
};

export type OpenBodyRoute = Described & {
  access?: never;
  body: BodyDescription;
  /** `body` as in a `BodyRoute`. */
  handle(ctx: Context, body: Buffer): void | Promise<void>;
};

/** A route that an HTML form posts to. */
export type FormRoute = Described & {
  access?: never;
  form: BodyDescription;
  handle(ctx: Context, form: Form): void | Promise<void>;
};

export type KeyRoute = Described & {
  access: Access;
  handle(ctx: Context, grant: KeyGrant): void | Promise<void>;
};

export type BodyRoute = Described & {
  access: Access;
  body: BodyDescription;
  /**
   * `body` is inflated and at most `bytesMax` long; nothing else is checked. `answerBy` is when the request is answered
   * in any case, as of performance.now(), unless the route bounds itself.
   */
  handle(ctx: Context, grant: KeyGrant, body: Buffer, answerBy: number): void | Promise<void>;
};

/**
 * A route whose answer is 202 with a JSON that follows from the key and the body. It needs nothing of the application, so
 * the fast path takes its requests as well.
 */
export type BatchRoute = Described & {
  method: 'POST';
  access: Access & { rate?: never };
  body: BodyDescription;
  anyOrigin?: never;
  /**
   * `leave` makes the signal of `hangUpSignal`; the rest is as in a `BodyRoute`, with the body in parts. Call it on `time`, which is the same object
   * throughout.
   */
  accept(grant: KeyGrant, body: Chunks, time: { answerBy: number; leave(): AbortSignal }): Promise<object>;
};

export type Route =
  | OpenRoute
  | OpenBodyRoute
  | FormRoute
  | KeyRoute
  | BodyRoute
  | BatchRoute
  | ManageRoute
  | ManageBodyRoute;

/** The first part of a path, in lower case, because some routes match in any case. */
export function firstPart(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end === -1 ? undefined : end).toLowerCase();
}

/** The path of a route as people write it: `/ping/{token}`. */
export function describePath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
