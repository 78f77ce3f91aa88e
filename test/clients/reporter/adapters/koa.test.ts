import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { heartline } from '@heartline/reporter/koa';
import Router15 from '@koa/router';
import Koa3 from 'koa';
import t from 'tap';
import { checkAdapter, type Under } from './check-adapter.js';
import { createRecorder, listen, send } from './support.js';

const require = createRequire(import.meta.url);
// The other major versions have other types, and the same methods as far as these tests use them.
const Koa2 = require('koa2') as typeof Koa3;
const loadRouter = (name: string) => require(name) as typeof Router15;

const versions = [
  { name: 'Koa 2 with @koa/router 12', Koa: Koa2, Router: loadRouter('koa-router12') },
  { name: 'Koa 2 with @koa/router 13', Koa: Koa2, Router: loadRouter('koa-router13') },
  { name: 'Koa 3 with @koa/router 14', Koa: Koa3, Router: loadRouter('koa-router14') },
  { name: 'Koa 3 with @koa/router 15', Koa: Koa3, Router: Router15 },
];

type Context = { status: number; body: unknown; respond?: boolean };

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

for (const { name, Koa, Router } of versions) {
  t.test(name, async (t) => {
    const application = (under: Under) => {
      const app = new Koa();
      app.silent = true;
      app.use(heartline(under.reporter, under.options));
      app.use(heartline(under.reporter, under.options));
      const outer = new Router();
      outer.use('/shops/:shop', shopRouter(Router, under).routes());
      app.use(outer.routes()).use(outer.allowedMethods());
      return createServer(app.callback());
    };
    await checkAdapter(t, application);

    const { reporter, take } = createRecorder();
    const app = new Koa();
    app.silent = true;
    app.use(heartline(reporter));
    const ok = (ctx: Context) => {
      ctx.body = 'ok';
    };
    const items = new Router({ prefix: '/items' });
    items.get('/', ok);
    items.get('/first', ok);
    items.get('/:item', ok);
    items.get(['/a/:a', '/b/:b'], ok);
    const shops = new Router({ prefix: '/shops/:shop' });
    shops.use(items.routes());
    shops.get('/skip', (_ctx: Context, next: () => Promise<unknown>) => next());
    const guarded = new Router({ prefix: '/guarded/:who' });
    guarded.use((ctx: Context) => {
      ctx.status = 401;
    });
    guarded.get('/door/:door', ok);
    const others = new Router();
    others.get(/^\/code\/(\d+)$/, ok);
    others.get('/', ok);
    others.all('/any/:any', ok);
    others.get('/made', (ctx: Context) => {
      ctx.status = 404;
    });
    for (const router of [shops, guarded, others]) app.use(router.routes()).use(router.allowedMethods());
    app.use((ctx: Context & { path: string }) => {
      if (ctx.path === '/plain') ctx.body = 'plain';
    });
    const url = await listen(t, createServer(app.callback()));
    const cases: readonly [path: string, endpoint: string, method?: string][] = [
      ['/', '/'],
      ['/shops/42/items', '/shops/:shop/items'],
      ['/shops/items/items/shops', '/shops/:shop/items/:item'],
      // The routes that match are asked in their order, and the first one answers.
      ['/shops/first/items/first', '/shops/:shop/items/first'],
      ['/shops/a%2Fb/items/%3Fx', '/shops/:shop/items/:item'],
      ['/shops/a/items/a/a', '/shops/:shop/items/a/:a'],
      ['/shops/b/items/b/b', '/shops/:shop/items/b/:b'],
      ['/guarded/door/door/door', '/guarded/:who/door/:door'],
      ['/guarded/door/window', 'unmatched'],
      ['/code/77', '/code/(\\d+)'],
      ['/any/any', '/any/:any', 'DELETE'],
      ['/made', '/made'],
      ['/shops/42/items', 'unmatched', 'PUT'],
      ['/plain', 'unmatched'],
      ['/nothing', 'unmatched'],
    ];
    for (const [path, endpoint, method = 'GET'] of cases) {
      await send(url + path, { method });
      const [event] = await take(1);
      t.equal(event?.endpoint, endpoint, path);
    }
  });
}
