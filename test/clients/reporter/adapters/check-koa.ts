import { createServer } from 'node:http';
import { heartline } from '@heartline/reporter/koa';
import type { Test } from 'tap';
import { type Context, type KoaVersion, koaApplication } from './applications/koa.js';
import { checkAdapter } from './check-adapter.js';
import { createRecorder, listen, send } from './support.js';

/** Checks the templates of everything that the router of Koa can route. */
export function checkKoa(t: Test, version: KoaVersion): void {
  const { name, Koa, Router } = version;
  t.test(name, async (t) => {
    await checkAdapter(t, koaApplication(version));

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
