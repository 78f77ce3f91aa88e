import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import type { ErrorKind } from '../contract/errors.js';
import type { Capability, Scope } from '../contract/scopes.js';
import type { KeyGrant } from '../control/keys/index.js';
import type { KeyRateLimit } from './limit-key-rate.js';

/** Who may call a route. `keyError` is the sentence of its 401. */
export type Access = {
  scope: Scope;
  capability: Capability;
  keyError: 'invalidKey' | 'invalidIngestKey';
  /** What the page has to have switched on, as well as the account. */
  feature?: 'database-health';
  /** Shared by the routes that count together. */
  rate?: KeyRateLimit;
};

/** What the published description says of an answer's body: the schema of JSON, or the media types it may have. */
export type AnswerBody = TSchema | { mediaTypes: readonly string[] };

/** An answer as it is sent: its headers, names and values in turn, without that of the request id, and its body. */
export type ReadyAnswer = { status: number; headers: readonly string[]; body: Buffer | undefined };

/** The parts of an address that stand where its route's path has `:name`, by name. */
export type PathParams = Readonly<Record<string, string>>;

type Described = {
  method: 'GET' | 'POST' | 'PATCH';
  /** `:name` stands for a part that `ctx.params` holds. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** Parameters of the query string, one property each. */
  query?: TSchema;
  /** Whether people open it in a browser, as a page of its own. */
  forPeople?: true;
  /**
   * Whether there is something at an address that `path` matches, which is asked when it comes with a method that no
   * route has there. Not given where there always is.
   */
  isThere?(ctx: Context, params: PathParams): Promise<boolean>;
  answers: Readonly<Record<number, AnswerBody>>;
  /** The errors of the route itself; those of keys and bodies follow from the rest. */
  errors: readonly ErrorKind[];
};

/** A route with everything that the router, the checks before it and the OpenAPI description need to know. */
export type OpenRoute = Described & {
  access?: never;
  handle(ctx: Context): void | Promise<void>;
  /**
   * The answer to a GET or HEAD when nothing has to be waited for; it goes out without the middleware of the
   * application. Undefined, and `handle` is asked. `url` has the groups of the parameters of the path, which
   * matches letter by letter and has nothing percent-encoded, then the query string.
   */
  answerReady?(req: IncomingMessage, url: readonly string[]): ReadyAnswer | undefined;
};

export type OpenBodyRoute = Described & {
  access?: never;
  /** JSON when no media type is given. */
  body: { schema: TSchema; bytesMax: number; mediaType?: string };
  /** `body` as of a `BodyRoute`. */
  handle(ctx: Context, body: Buffer): void | Promise<void>;
};

export type KeyRoute = Described & {
  access: Access;
  handle(ctx: Context, grant: KeyGrant): void | Promise<void>;
};

export type BodyRoute = Described & {
  access: Access;
  body: OpenBodyRoute['body'];
  /** `body` is inflated and at most `bytesMax` long; nothing else of it is checked. */
  handle(ctx: Context, grant: KeyGrant, body: Buffer): void | Promise<void>;
};

export type Route = OpenRoute | OpenBodyRoute | KeyRoute | BodyRoute;

export function hasBody(route: Route): route is OpenBodyRoute | BodyRoute {
  return 'body' in route;
}
