import type { Context } from 'koa';
import type { Static, TObject, TSchema } from 'typebox';
import type { Permission } from '../../contract/permissions.js';
import type { Actor } from '../../control/audit/index.js';
import type { PageId } from '../../lib/ids.js';
import type { Parameters } from '../../lib/query-parameters.js';
import type { BodyDescription, Described, PathParams } from '../openapi/described.js';
import type { Caller, ManagedPage } from './caller.js';

/**
 * A route of the management API. Paths that begin with `/api/v1/pages/:page` are of that page, and the router finds it
 * before the route is called.
 */
type Managed = Omit<Described, 'errors'> & {
  access?: never;
  /** The permission that the caller needs; `any` for every caller, `user` for people only. */
  permission: Permission | 'any' | 'user';
  /** The errors of the route itself; errors of callers, permissions, pages and bodies follow from the rest. */
  errors: Described['errors'];
  manage(call: ManageCall<unknown, string>): Promise<void>;
};

export type ManageRoute = Managed;
export type ManageBodyRoute = Managed & { body: ManagedBody };

/** Fields that the schema does not name are refused. */
export type ManagedBody = BodyDescription & {
  /** The body may be left out; `call.body` is then an empty object. */
  isOptional?: true;
};

/** A request that passed the checks. */
export type ManageCall<Body = undefined, Query extends string = never> = {
  ctx: Context;
  caller: Caller;
  /** The caller, for the audit log. */
  by: Actor;
  params: PathParams;
  /** Query parameters; each is known and given once. */
  query: Parameters<Query>;
  /** Checked against the schema of the route. */
  body: Body;
  /** The page of the path. Throws for a route without one. */
  page: ManagedPage;
  /** Milliseconds until the request is answered with 503; for work whose length is not bound by its queries. */
  msLeft(): number;
};

/** The page of the path, and the thing on it whose id the path has. */
export function idRef({ page, params }: Pick<ManageCall, 'page' | 'params'>): { pageId: PageId; id: string } {
  return { pageId: page.id, id: params['id'] ?? '' };
}

/** The page of the path, and the thing on it whose slug the path has. */
export function slugRef({ page, params }: Pick<ManageCall, 'page' | 'params'>): {
  pageId: PageId;
  slug: string;
} {
  return { pageId: page.id, slug: params['slug'] ?? '' };
}

type Definition<Props, Query extends string, Body> = Omit<Managed, 'query' | 'manage' | 'errors'> & {
  errors?: Described['errors'];
  query?: TObject<Props & Record<Query, TSchema>>;
  manage(call: ManageCall<Body, Query>): Promise<void>;
};

/** Makes a route without a body. */
export function manageRoute<Query extends string = never>(
  definition: Omit<Definition<unknown, Query, undefined>, 'query'> & {
    query?: TObject<Record<Query, TSchema>>;
  },
): ManageRoute {
  const { errors = [], manage, ...rest } = definition;
  // The router passes what the definition describes.
  return { ...rest, errors, manage: manage as ManageRoute['manage'] };
}

/** Makes a route with a JSON body, which is checked against the schema before `manage` is called. */
export function manageBodyRoute<Schema extends TSchema, Query extends string = never>(
  definition: Omit<Definition<unknown, Query, Static<Schema>>, 'query'> & {
    query?: TObject<Record<Query, TSchema>>;
    body: Omit<ManagedBody, 'schema'> & { schema: Schema };
  },
): ManageBodyRoute {
  const { errors = [], manage, ...rest } = definition;
  // As above.
  return { ...rest, errors, manage: manage as ManageRoute['manage'] };
}
