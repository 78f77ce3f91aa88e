import { PassThrough } from 'node:stream';
import { heartline } from '@heartline/reporter/fastify';
import { fastify } from 'fastify';
import type { Application } from '../check-adapter.js';

export type FastifyVersion = { name: string; fastify: typeof fastify };

/** The third tier has the others. */
export const fastify5: FastifyVersion = { name: 'Fastify 5', fastify };

/** The application of `checkAdapter` for a version of Fastify. */
export function fastifyApplication({ fastify }: FastifyVersion): Application {
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
