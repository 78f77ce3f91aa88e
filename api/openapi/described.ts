import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import type { ErrorKind } from '../../contract/errors.js';

/**
 * The body of an answer in the published description: a schema for JSON, else the possible media types; `json` is the
 * schema where JSON is one of them.
 */
export type AnswerBody = TSchema | { mediaTypes: readonly string[]; json?: TSchema };

/** Parts of a request's path, by the `:name` that stands for each in the route's path. */
export type PathParams = Readonly<Record<string, string>>;

/** The part of a route that the published description and the router need. */
export type Described = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
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
   * Why the guard of private pages leaves an open route alone that varies by host: it has nothing of a page, it asks for a
   * token that was sent to a reader, or it lets readers in.
   */
  unguarded?: 'hasNothingOfPages' | 'asksForToken' | 'letsReadersIn';
  /**
   * Whether something exists at an address that matches `path`. Called for a method that no route has there, which
   * decides between 405 and 404. Without it, something always exists.
   */
  isThere?(ctx: Context, params: PathParams): Promise<boolean>;
  /** Whether requests with the same `Idempotency-Key` publish once; see publishKeyOf(). */
  takesIdempotencyKey?: true;
  answers: Readonly<Record<number, AnswerBody>>;
  /** The work of the route has a bound of its own in place of the deadline of every request. */
  boundsItself?: true;
  /** Whether answers say how many requests are left; answers to keys with a rate always do. */
  countsRequests?: true;
  /** Whether a success says in `Heartline-As-Of` up to when it has every event. */
  saysAsOf?: true;
  /** Whether a success says in `Server-Timing` how long the store took. */
  saysTiming?: true;
  /** The errors of the route itself; errors of keys and bodies follow from the rest. */
  errors: readonly ErrorKind[];
};

export type BodyDescription = {
  schema: TSchema;
  /** The media type of a body that is not JSON, such as `image/*`: the route then gets its bytes. */
  mediaType?: string;
  /** The body comes in the block format of snappy and in no other; the route gets it as it was sent. */
  isSnappy?: true;
  /** Bound on the body as it was sent and on the inflated body. */
  bytesMax: number;
};
