import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { heartline } from '@heartline/reporter/koa';
import Router from '@koa/router';
import Koa from 'koa';
import type { Application, Under } from '../check-adapter.js';

export type KoaVersion = { name: string; Koa: typeof Koa; Router: typeof Router };

/** The third tier has the others. */
export const koa3: KoaVersion = { name: 'Koa 3 with @koa/router 15', Koa, Router };

export type Context = { status: number; body: unknown; respond?: boolean };

function shopRouter({ Router }: KoaVersion, { stage }: Under) {
  const router = new Router();
  router.get('/items/:item', (ctx: Context) => {
    ctx.body = 'ok';
  });
  router.post('/items', (ctx: Context) => {
    ctx.status = 201;
  });
  router.get('/fail', () => {
    throw new Error('The till is stuck.');
  });
  router.get('/hang', () => {
    stage.arrive();
    return new Promise(() => {});
  });
  router.get('/stream', (ctx: Context) => {
    const body = new PassThrough();
    ctx.body = body;
    body.write('one');
    stage.arrive();
    void stage.held().then(() => body.end('two'));
  });
  return router;
}

/** The application of `checkAdapter` for a version of Koa and its router. */
export function koaApplication(version: KoaVersion): Application {
  const { Koa, Router } = version;
  return (under) => {
    const app = new Koa();
    app.silent = true;
    app.use(heartline(under.reporter, under.options));
    app.use(heartline(under.reporter, under.options));
    const outer = new Router();
    outer.use('/shops/:shop', shopRouter(version, under).routes());
    app.use(outer.routes()).use(outer.allowedMethods());
    return createServer(app.callback());
  };
}
