import type { Server } from 'node:http';
import { heartline } from '@heartline/reporter/hono';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { stream } from 'hono/streaming';
import type { Application, Under } from '../check-adapter.js';

/** The application of `checkAdapter`, for any runtime. */
export function createHonoShop({ reporter, stage, options }: Under) {
  const app = new Hono();
  app.use(heartline(reporter, options));
  app.use(heartline(reporter, options));
  app.onError((_error, c) => c.text('failed', 500));
  const shop = new Hono();
  shop.get('/items/:item', (c) => c.text('ok'));
  shop.post('/items', (c) => c.body(null, 201));
  shop.get('/fail', () => {
    throw new Error('The till is stuck.');
  });
  shop.get('/hang', () => {
    stage.arrive();
    return new Promise(() => {});
  });
  shop.get('/stream', (c) =>
    stream(c, async (body) => {
      await body.write('one');
      stage.arrive();
      await stage.held();
      await body.write('two');
    }),
  );
  app.route('/shops/:shop', shop);
  return app;
}

export const honoApplication: Application = (under) => createAdaptorServer(createHonoShop(under)) as Server;
