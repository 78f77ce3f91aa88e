import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { heartline } from '@heartline/reporter/koa';
import Router15 from '@koa/router';
import Koa3 from 'koa';
import type { Application, Under } from '../check-adapter.js';

const require = createRequire(import.meta.url);
// The other major versions have other types, and the same methods as far as these tests use them.
const Koa2 = require('koa2') as typeof Koa3;
const loadRouter = (name: string) => require(name) as typeof Router15;

export const koaVersions = [
  { name: 'Koa 2 with @koa/router 12', Koa: Koa2, Router: loadRouter('koa-router12') },
  { name: 'Koa 2 with @koa/router 13', Koa: Koa2, Router: loadRouter('koa-router13') },
  { name: 'Koa 3 with @koa/router 14', Koa: Koa3, Router: loadRouter('koa-router14') },
  { name: 'Koa 3 with @koa/router 15', Koa: Koa3, Router: Router15 },
];

export type Context = { status: number; body: unknown; respond?: boolean };

function shopRouter(Router: typeof Router15, { stage }: Under) {
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
export function koaApplication({ Koa, Router }: (typeof koaVersions)[number]): Application {
  return (under) => {
    const app = new Koa();
    app.silent = true;
    app.use(heartline(under.reporter, under.options));
    app.use(heartline(under.reporter, under.options));
    const outer = new Router();
    outer.use('/shops/:shop', shopRouter(Router, under).routes());
    app.use(outer.routes()).use(outer.allowedMethods());
    return createServer(app.callback());
  };
}
