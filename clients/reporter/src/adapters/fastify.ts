import type { Reporter } from '../create-reporter.js';
import { templateOfPath } from '../route-templates/regexp-template.js';
import { type AdapterOptions, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';

/** What is used of Fastify's request. */
export type FastifyRequest = {
  raw: NodeRequest;
  routeOptions?: { url?: string | undefined };
  routerPath?: string | undefined;
  is404?: boolean;
};

/** What is used of Fastify's reply. */
export type FastifyReply = { raw: NodeResponse };

type Done = () => void;

/** What is used of a Fastify instance. */
export type FastifyInstance = {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply, done: Done) => void,
  ): unknown;
  addHook(
    name: 'onError',
    hook: (request: FastifyRequest, reply: FastifyReply, error: Error, done: Done) => void,
  ): unknown;
};

/**
 * Counts every request of a Fastify application, of major version 4 or 5. Register it before the routes:
 *
 *     import { heartline } from '@heartline/reporter/fastify';
 *     app.register(heartline(reporter));
 *
 * It covers the instance on which it is registered, with all its plugins. The endpoint is the URL of the route as you
 * wrote it, with the prefixes around it: `/shops/:shop/items/:item`. A request that no route has taken is `unmatched`.
 */
export function heartline(reporter: Pick<Reporter, 'record'>, options: AdapterOptions = {}) {
  const failures = new WeakMap<object, Error>();
  function plugin(instance: FastifyInstance, _options: unknown, done: Done): void {
    instance.addHook('onRequest', (request, reply, done) => {
      const about = { template: () => templateOf(request), error: () => failures.get(request) };
      watchExchange(reporter, request.raw, reply.raw, about, options);
      done();
    });
    instance.addHook('onError', (request, _reply, error, done) => {
      failures.set(request, error);
      done();
    });
    done();
  }
  // Hooks of a plugin without this mark would stay inside it.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

function templateOf({ is404, routeOptions, routerPath }: FastifyRequest): string | undefined {
  return is404 === true ? undefined : templateOfPath(routeOptions?.url ?? routerPath);
}
