import { randomUUID } from 'node:crypto';
import { exampleOfBody } from '../../../../api/openapi/describe-api.js';
import { bodies, targets } from './particulars.js';
import type { Managed, ManagedRequest, Params, World } from './world.js';

export const keyOfRoute = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/**
 * A request that succeeds for somebody who may send it. It has a target of its own, which an earlier request makes, so
 * that no request takes away what another one needs.
 */
export async function makeRequest(world: World, route: Managed): Promise<ManagedRequest> {
  const mark = randomUUID();
  const params = await makeTarget(world, route, mark);
  return fillRequest(world, route, params, mark);
}

/** The values of the parameters below the page, for something that exists now. */
export function makeTargetOf(world: World, route: Managed): Promise<Params> {
  return makeTarget(world, route, randomUUID());
}

/** A request for what these parameters name. */
export function requestFor(world: World, route: Managed, params: Params): ManagedRequest {
  return fillRequest(world, route, params, randomUUID());
}

/** A request for something that does not exist. */
export function requestOfNothing(world: World, route: Managed): ManagedRequest {
  return fillRequest(world, route, {}, randomUUID());
}

/** Whether a status says that the route carried the request out. */
export function isUsual(route: Managed, status: number): boolean {
  return status < 300 && status in route.answers;
}

/** The same request, of a page that does not exist. */
export function onNoPage(request: ManagedRequest, slug: string): ManagedRequest {
  return { ...request, path: request.path.replace(`/pages/${slug}`, '/pages/none') };
}

function fillRequest(
  { slug, store }: Pick<World, 'slug' | 'store'>,
  route: Managed,
  params: Params,
  mark: string,
): ManagedRequest {
  const known: Record<string, string> = { page: slug, ...params };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => known[name] ?? mark);
  const body = bodyOf(route, { slug, mark, params, store });
  const mediaType = 'body' in route ? route.body.mediaType : undefined;
  return {
    ...{ method: route.method, path },
    ...(body !== undefined && { body }),
    ...(mediaType !== undefined && { mediaType: mediaType.replace('*', 'png') }),
  };
}

/** The example that the published description shows, or what the particulars have, where names must be unique. */
function bodyOf(
  route: Managed,
  about: Pick<World, 'slug' | 'store'> & { mark: string; params: Params },
): unknown {
  const own = bodies[keyOfRoute(route)];
  if (own !== undefined) return own(about);
  return 'body' in route && route.body.mediaType === undefined
    ? exampleOfBody(route, route.body.schema)
    : undefined;
}

/** Makes what the path of a route names: the particulars say how, or the route does that creates one of its kind. */
async function makeTarget(world: World, route: Managed, mark: string): Promise<Params> {
  const [prefix, name] = lastParameter(route.path);
  const own = targets[keyOfRoute(route)] ?? targets[prefix];
  if (own !== undefined) return own(world, mark);
  if (name === undefined || name === 'page') return {};
  const place = `${prefix}/:${name}`;
  const putting = world.routes.find(({ method, path }) => method === 'PUT' && path === place);
  const posting = world.routes.find(({ method, path }) => method === 'POST' && path === prefix);
  // A route that creates what it is about needs nothing before.
  if (route === putting && name === 'slug') return {};
  const creating = name === 'slug' && putting !== undefined ? putting : posting;
  if (creating === undefined) throw new Error(`Nothing creates a target for ${keyOfRoute(route)}.`);
  const outer = await makeTarget(world, creating, mark);
  const params: Record<string, string> = { ...outer, ...(creating === putting && { [name]: mark }) };
  const answer = await world.send(fillRequest(world, creating, params, mark));
  if (answer.status >= 300) {
    throw new Error(`${keyOfRoute(creating)}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const made = Object(answer.body) as Record<string, unknown>;
  return creating === putting ? params : { ...outer, [name]: String(made['slug'] ?? made['id']) };
}

/** The path up to the last parameter, and its name. */
function lastParameter(path: string): [prefix: string, name?: string] {
  const found = /^(.*)\/:(\w+)(?:\/[\w-]+)*$/.exec(path);
  return found === null ? [path] : [found[1] ?? '', found[2] ?? ''];
}
