import type { Reporter } from '../create-reporter.js';
import { templateOfPath } from '../route-templates/regexp-template.js';
import { type AdapterOptions, ask, type NodeRequest, type NodeResponse, watchExchange } from './exchange.js';
import { failureOf, noteFailure } from './failures.js';

/** The part of Fastify's request that is used. */
export type FastifyRequest = {
  raw: NodeRequest;
  routeOptions?: { url?: string | undefined };
  routerPath?: string | undefined;
  is404?: boolean;
};

/** The part of Fastify's reply that is used. */
export type FastifyReply = { raw: NodeResponse };

type Done = () => void;

/** The request of Fastify, kept on the request of Node.js. */
const routed = Symbol('heartline.request');
type Routed = NodeRequest & { [routed]?: FastifyRequest };

/** The part of a Fastify instance that is used. */
export type FastifyInstance = {
  server: {
    prependListener(event: 'request', listener: (req: NodeRequest, res: NodeResponse) => void): unknown;
  };
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
  const watch = (req: NodeRequest, res: NodeResponse): void =>
    watchExchange(reporter, req, res, {
      template: () => templateOf((req as Routed)[routed]),
      ...(options.messages && { error: () => failureOf(req) }),
    });
  function plugin(instance: FastifyInstance, _options: unknown, done: Done): void {
    // Fastify answers an address that cannot be decoded without any hook.
    if (Object.getPrototypeOf(instance) === Object.prototype)
      instance.server.prependListener('request', watch);
    instance.addHook('onRequest', (request, reply, done) => {
      ask(() => {
        (request.raw as Routed)[routed] = request;
        watch(request.raw, reply.raw);
      });
      done();
    });
    instance.addHook('onError', (request, _reply, error, done) => {
      noteFailure(request.raw, error);
      done();
    });
    done();
  }
  // Hooks of a plugin without this mark would stay inside it.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

function templateOf(request: FastifyRequest | undefined): string | undefined {
  if (request === undefined || request.is404) return undefined;
  return templateOfPath(request.routeOptions?.url ?? request.routerPath);
}
