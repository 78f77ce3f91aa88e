import { once } from 'node:events';
import { connect, constants, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { heartline as heartlineFastify } from '@heartline/reporter/fastify';
import { heartline as heartlineKoa } from '@heartline/reporter/koa';
import Router from '@koa/router';
import fastify from 'fastify';
import Koa from 'koa';
import t, { type Test } from 'tap';
import { essence } from './check-adapter.js';
import { createRecorder, createStage, type Recorder, type Stage } from './support.js';

type Application = (reporter: Recorder['reporter'], stage: Stage) => Promise<Http2Server>;

const koa: Application = async (reporter, stage) => {
  const app = new Koa();
  app.use(heartlineKoa(reporter));
  const router = new Router();
  router.get('/shops/:shop', (ctx) => {
    ctx.body = 'ok';
  });
  router.get('/hang/:shop', () => {
    stage.arrive();
    return new Promise(() => {});
  });
  app.use(router.routes());
  const listener = app.callback();
  return createServer((req, res) => void listener(req as never, res as never)); // Koa takes both, its types only HTTP/1.
};

const withFastify: Application = async (reporter, stage) => {
  const app = fastify({ http2: true });
  app.register(heartlineFastify(reporter));
  app.get('/shops/:shop', async () => 'ok');
  app.get('/hang/:shop', () => {
    stage.arrive();
    return new Promise(() => {});
  });
  await app.ready();
  return app.server;
};

for (const [name, application] of [
  ['Koa', koa],
  ['Fastify', withFastify],
] as const) {
  t.test(`${name} counts requests of HTTP/2, and a cancelled one as 499`, async (t) => {
    const { reporter, take } = createRecorder();
    const stage = createStage();
    const session = await openSession(t, await application(reporter, stage));
    const answered = session.request({ ':path': '/shops/s42' }).resume();
    await once(answered, 'end');
    const cancelled = session.request({ ':path': '/hang/s42' }).on('error', () => {});
    await stage.arrived();
    cancelled.close(constants.NGHTTP2_CANCEL);
    t.strictSame((await take(2)).map(essence), [
      { endpoint: '/shops/:shop', method: 'GET', status: 200 },
      { endpoint: '/hang/:shop', method: 'GET', status: 499 },
    ]);
  });
}

async function openSession(t: Test, server: Http2Server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  t.teardown(() => {
    session.destroy();
    server.close();
  });
  return session;
}
