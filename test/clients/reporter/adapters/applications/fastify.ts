import { PassThrough } from 'node:stream';
import { heartline } from '@heartline/reporter/fastify';
import fastify5 from 'fastify';
import fastify4 from 'fastify4';
import type { Application } from '../check-adapter.js';

export const fastifyVersions = [
  // Both have the methods that these tests use; the types of the plugins differ.
  { name: 'Fastify 4', fastify: fastify4 as unknown as typeof fastify5 },
  { name: 'Fastify 5', fastify: fastify5 },
];

/** The application of `checkAdapter` for a version of Fastify. */
export function fastifyApplication({ fastify }: (typeof fastifyVersions)[number]): Application {
  return async ({ reporter, stage, options }) => {
    const app = fastify();
    app.register(heartline(reporter, options));
    app.register(heartline(reporter, options));
    app.register(
      async (shop) => {
        shop.get('/items/:item', async () => 'ok');
        shop.post('/items', async (_request, reply) => reply.code(201).send());
        shop.get('/fail', async () => {
          throw new Error('The till is stuck.');
        });
        shop.get('/hang', () => {
          stage.arrive();
          return new Promise(() => {});
        });
        shop.get('/stream', async (_request, reply) => {
          const body = new PassThrough();
          body.write('one');
          stage.arrive();
          void stage.held().then(() => body.end('two'));
          return reply.send(body);
        });
      },
      { prefix: '/shops/:shop' },
    );
    await app.ready();
    return app.server;
  };
}
