import type { Server } from 'node:http';
import { heartline } from '@heartline/reporter/hono';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import t from 'tap';
import { createHonoShop, honoApplication } from './applications/hono.js';
import { checkAdapter, essence } from './check-adapter.js';
import { createRecorder, createStage, listen, send } from './support.js';

const ok = (c: Context) => c.text('ok');

t.test('Hono on Node.js', async (t) => {
  await checkAdapter(t, honoApplication);
});

t.test('the template is that of the handler', async (t) => {
  const { reporter, take } = createRecorder();
  const app = new Hono().basePath('/api');
  app.use(heartline(reporter));
  app.use('/guarded/*', async (c, next) => {
    return c.req.header('key') === undefined ? c.text('no', 401) : next();
  });
  app.get('/guarded/:who/door', ok);
  app.use('/plain', async (c) => c.text('plain'));
  app.get('/', ok);
  app.all('/any/:any', ok);
  app.get('/number/:number{[0-9]+}', ok);
  app.get('/maybe/:one?', ok);
  app.get('/files/*', ok);
  app.get('/skip/:skip', async (_c, next) => next());
  app.get('/refused/:who', () => {
    throw new HTTPException(403);
  });
  app.get('/many/:a', async (_c, next) => next(), ok);
  const items = new Hono();
  items.onError((_error, c) => c.text('items', 418));
  items.use(async (_c, next) => next());
  items.get('/', ok);
  items.get('/:item', ok);
  items.all('/:item/all', ok);
  items.delete('/:item', () => {
    throw new Error('x');
  });
  app.route('/shops/:shop/items', items);
  const url = await listen(t, createAdaptorServer(app) as Server);
  const cases: readonly [path: string, endpoint: string, method?: string][] = [
    ['/api', '/api'],
    ['/api/shops/42/items', '/api/shops/:shop/items'],
    ['/api/shops/items/items/shops', '/api/shops/:shop/items/:item'],
    ['/api/shops/items/items/shops', '/api/shops/:shop/items/:item', 'DELETE'],
    ['/api/shops/items/items/shops/all', '/api/shops/:shop/items/:item/all', 'PATCH'],
    ['/api/shops/a%2Fb/items/%3Fx?q=1', '/api/shops/:shop/items/:item'],
    ['/api/guarded/door/door', '/api/guarded/:who/door'],
    ['/api/guarded/door/window', 'unmatched'],
    ['/api/plain', '/api/plain'],
    ['/api/any/any', '/api/any/:any', 'PUT'],
    ['/api/number/12', '/api/number/:number{[0-9]+}'],
    ['/api/number/x', 'unmatched'],
    ['/api/maybe/1', '/api/maybe/:one'],
    ['/api/files/a/b', '/api/files/*'],
    ['/api/refused/refused', '/api/refused/:who'],
    ['/api/many/many', '/api/many/:a'],
    ['/api/nothing', 'unmatched'],
  ];
  for (const [path, endpoint, method = 'GET'] of cases) {
    await send(url + path, { method });
    const [event] = await take(1);
    t.equal(event?.endpoint, endpoint, `${method} ${path}`);
  }
});

t.test('the template needs nothing that Hono has deprecated', async (t) => {
  const { reporter, take } = createRecorder();
  const app = new Hono();
  app.use(async (c, next) => {
    Object.defineProperty(c.req, 'matchedRoutes', { value: undefined });
    return next();
  });
  app.use(heartline(reporter));
  app.get('/shops/:shop', ok);
  await app.request('/shops/s42');
  await app.request('/nowhere/s42');
  t.strictSame(
    (await take(2)).map(({ endpoint }) => endpoint),
    ['/shops/:shop', 'unmatched'],
  );
});

t.test('Hono where there is no Node.js', async (t) => {
  const { reporter, take, events } = createRecorder();
  const stage = createStage();
  const app = createHonoShop({ reporter, stage, options: { messages: true } });
  const endpoint = '/shops/:shop/stream';

  t.test('counts an answer at once, also when nobody reads it', async (t) => {
    t.equal((await app.request('/shops/1/items/2?q=1')).status, 200);
    t.equal((await app.request('/shops/1/items', { method: 'POST' })).status, 201);
    t.equal((await app.request('/shops/1/items/2', { method: 'HEAD' })).status, 200);
    t.equal((await app.request('/nowhere')).status, 404);
    t.strictSame((await take(4)).map(essence), [
      { endpoint: '/shops/:shop/items/:item', method: 'GET', status: 200 },
      { endpoint: '/shops/:shop/items', method: 'POST', status: 201 },
      { endpoint: '/shops/:shop/items/:item', method: 'HEAD', status: 200 },
      { endpoint: 'unmatched', method: 'GET', status: 404 },
    ]);
  });

  t.test('counts an error with its message', async (t) => {
    t.equal((await app.request('/shops/1/fail')).status, 500);
    t.match(await take(1), [{ endpoint: '/shops/:shop/fail', status: 500, message: 'The till is stuck.' }]);
  });

  t.test('counts a stream at its end', async (t) => {
    const answer = await app.request('/shops/1/stream');
    await stage.arrived();
    t.strictSame(events, []);
    stage.release();
    t.equal(await answer.text(), 'onetwo');
    t.strictSame((await take(1)).map(essence), [{ endpoint, method: 'GET', status: 200 }]);
  });

  t.test('counts a stream that the client leaves as 499', async (t) => {
    const answer = await app.request('/shops/1/stream');
    await stage.arrived();
    await answer.body?.cancel();
    t.strictSame((await take(1)).map(essence), [{ endpoint, method: 'GET', status: 499 }]);
    stage.release();
  });

  t.test('counts an answer that came too late for the client as 499', async (t) => {
    const controller = new AbortController();
    const app = new Hono();
    app.use(heartline(reporter));
    app.get('/slow', async (c) => {
      controller.abort();
      return c.text('late');
    });
    await app.request('/slow', { signal: controller.signal });
    t.strictSame((await take(1)).map(essence), [{ endpoint: '/slow', method: 'GET', status: 499 }]);
  });

  t.test('counts a request that the client leaves before its answer as 499', async (t) => {
    const controller = new AbortController();
    void app.request('/shops/1/hang', { signal: controller.signal });
    await stage.arrived();
    controller.abort();
    t.strictSame((await take(1)).map(essence), [
      { endpoint: '/shops/:shop/hang', method: 'GET', status: 499 },
    ]);
  });

  t.test('passes on what is thrown', async (t) => {
    const app = new Hono();
    app.use(heartline(reporter));
    app.get('/thrown', () => {
      throw 'a text';
    });
    await t.rejects(async () => app.request('/thrown'));
    t.strictSame((await take(1)).map(essence), [{ endpoint: '/thrown', method: 'GET', status: 500 }]);
  });

  t.test('keeps the answer as it is', async (t) => {
    const app = new Hono();
    app.use(heartline(reporter));
    app.get('/cookies', (c) => {
      c.header('set-cookie', 'a=1', { append: true });
      c.header('set-cookie', 'b=2', { append: true });
      return c.json({ ok: true }, 202);
    });
    const answer = await app.request('/cookies');
    t.equal(answer.status, 202);
    t.strictSame(answer.headers.getSetCookie(), ['a=1', 'b=2']);
    t.strictSame(await answer.json(), { ok: true });
    await take(1);
  });
});
