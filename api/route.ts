import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import type { ErrorKind } from '../contract/errors.js';
import type { Capability, Scope } from '../contract/scopes.js';
import type { KeyGrant } from '../control/keys/index.js';
import type { KeyRateLimit } from './rate-limits.js';
import type { Form } from './read-form.js';

/** Who may call a route. `keyError` is the sentence of its 401. */
export type Access = {
  scope: Scope;
  capability: Capability;
  keyError: 'invalidKey' | 'invalidIngestKey';
  /** The page must have this switched on, as well as the account. */
  feature?: 'database-health';
  /** Shared by the routes that count together. */
  rate?: KeyRateLimit;
};

/**
 * The body of an answer in the published description: a schema for JSON, else the possible media types; `json` is the
 * schema where JSON is one of them.
 */
export type AnswerBody = TSchema | { mediaTypes: readonly string[]; json?: TSchema };

/** An answer as it is sent. `headers` lists names and values in turn, without the request id. */
export type ReadyAnswer = { status: number; headers: readonly string[]; body: Buffer | undefined };

/** Parts of a request's path, by the `:name` that stands for each in the route's path. */
export type PathParams = Readonly<Record<string, string>>;

/** What a public read depends on, besides the host. */
export type PublicRequest = {
  headers: IncomingHttpHeaders;
  path: string;
  params: PathParams;
  /** Without the question mark; empty when there is none. */
  query: string;
};

type Described = {
  method: 'GET' | 'POST' | 'PATCH';
  /** `:name` stands for one part; `ctx.params` has its value. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** More than the summary says, without a full stop at the end; the summary when absent. */
  description?: string;
  /** Parameters of the query string, one property each. */
  query?: TSchema;
  /** Whether people open it in a browser, as a page of its own. */
  forPeople?: true;
  /** Whether scripts on any site may read its answers; the router adds the headers that say so, and answers preflights. */
  anyOrigin?: true;
  /**
   * The route takes its path in any case and with a slash at the end as well, and redirects to the usual form. Every
   * other route takes the exact path only, so that a rule of a proxy for a path covers all requests for it.
   */
  redirectsOtherForms?: true;
  /** Whether the answers of an open route have nothing to do with the host that was asked; see variesByHost(). */
  sameOnEveryHost?: true;
  /**
   * Whether something exists at an address that matches `path`. Called for a method that no route has there, which
   * decides between 405 and 404. Without it, something always exists.
   */
  isThere?(ctx: Context, params: PathParams): Promise<boolean>;
  answers: Readonly<Record<number, AnswerBody>>;
  /** The work of the route has a bound of its own in place of the deadline of every request. */
  boundsItself?: true;
  /** Whether answers say how many requests are left, besides those of keys with a rate. */
  countsRequests?: true;
  /** Whether a success says in `Heartline-As-Of` up to when it has every event. */
  saysAsOf?: true;
  /** The errors of the route itself; those of keys and bodies follow from the rest. */
  errors: readonly ErrorKind[];
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

type BodyDescription = {
  schema: TSchema;
  /** Bound on the body as it was sent and on the inflated body. */
  bytesMax: number;
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
  /** `leave` makes the signal of `hangUpSignal`; the rest is as in a `BodyRoute`. */
  accept(
    grant: KeyGrant,
    body: Buffer,
    time: { answerBy: number; leave: () => AbortSignal },
  ): Promise<object>;
};

export type Route = OpenRoute | OpenBodyRoute | FormRoute | KeyRoute | BodyRoute | BatchRoute;

/** The first part of a path, in lower case, because some routes match in any case. */
export function firstPart(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, end === -1 ? undefined : end).toLowerCase();
}

/** The path of a route as people write it: `/ping/{token}`. */
export function describePath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
