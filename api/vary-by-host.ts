import type { Context } from 'koa';
import type { Route } from './route.js';

/** Names in `Vary` what decides of which page an answer is, so that no cache gives the answer of one page for another. */
export type HostVariation = {
  /** Returns the headers of a ready answer with that in them; both list names and values in turn. */
  addTo(headers: readonly string[]): string[];
  /** Adds it to the answer that the application has made. */
  mark(ctx: Context): void;
};

/**
 * Where proxies are trusted, X-Forwarded-Host may decide as well: a cache between such a proxy and the service may see
 * one Host for all pages.
 */
export function createHostVariation(trustsProxies: boolean): HostVariation {
  const names = trustsProxies ? ['Host', 'X-Forwarded-Host'] : ['Host'];
  const added = names.join(', ');
  return {
    addTo(headers) {
      const at = headers.indexOf('vary') + 1;
      return at === 0 ? [...headers, 'vary', added] : headers.with(at, `${headers[at]}, ${added}`);
    },
    mark: (ctx) => ctx.vary(names),
  };
}

/** Whether the answers of a route differ by host. Those to a key or a session do not, and no shared cache keeps them. */
export function variesByHost(route: Route): boolean {
  return route.access === undefined && !('permission' in route) && route.sameOnEveryHost !== true;
}
