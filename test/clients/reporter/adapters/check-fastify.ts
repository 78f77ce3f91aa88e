import { heartline } from '@heartline/reporter/fastify';
import type { Test } from 'tap';
import { type FastifyVersion, fastifyApplication } from './applications/fastify.js';
import { checkAdapter } from './check-adapter.js';
import { createRecorder, listen, send } from './support.js';

/** Checks the templates of everything that Fastify can route. */
export function checkFastify(t: Test, version: FastifyVersion): void {
  const { name, fastify } = version;
  t.test(name, async (t) => {
    await checkAdapter(t, fastifyApplication(version));

    const { reporter, take } = createRecorder();
    const app = fastify();
    app.register(heartline(reporter));
    const ok = async () => 'ok';
    app.get('/', ok);
    app.get('/files/*', ok);
    app.get('/number/:number(^\\d+)', ok);
    app.get('/maybe/:one?', ok);
    app.get('/file/:name.:ending', ok);
    app.get('/made', async (_request, reply) => reply.callNotFound());
    app.all('/any/:any', ok);
    app.register(
      async (shop) => {
        shop.register(
          async (items) => {
            items.addHook('onRequest', async (request, reply) => {
              if (request.url.endsWith('closed')) await reply.code(401).send('');
            });
            items.get('/', ok);
            items.get('/:item', ok);
            items.setNotFoundHandler(async (_request, reply) => reply.code(404).send('items'));
          },
          { prefix: '/items' },
        );
      },
      { prefix: '/shops/:shop' },
    );
    await app.ready();
    const url = await listen(t, app.server);
    const cases: readonly [path: string, endpoint: string, method?: string][] = [
      ['/', '/'],
      ['/shops/42/items', '/shops/:shop/items'],
      ['/shops/items/items/shops', '/shops/:shop/items/:item'],
      ['/shops/a%2Fb/items/%3Fx?q=1', '/shops/:shop/items/:item'],
      ['/shops/closed/items/closed', '/shops/:shop/items/:item'],
      ['/shops/42/items/a/b', 'unmatched'],
      ['/files/a/b', '/files/*'],
      ['/number/12', '/number/:number(^\\d+)'],
      ['/number/x', 'unmatched'],
      ['/maybe/1', '/maybe/:one'],
      ['/maybe', '/maybe/:one'],
      ['/file/a.b', '/file/:name.:ending'],
      ['/any/any', '/any/:any', 'DELETE'],
      ['/made', 'unmatched'],
      ['/nothing', 'unmatched'],
      ['/%zz', 'unmatched'],
    ];
    for (const [path, endpoint, method = 'GET'] of cases) {
      await send(url + path, { method });
      const [event] = await take(1);
      t.equal(event?.endpoint, endpoint, path);
    }

    t.test('counts requests that need no connection', async (t) => {
      const answer = await app.inject('/shops/1/items/2');
      t.equal(answer.statusCode, 200);
      t.match(await take(1), [{ endpoint: '/shops/:shop/items/:item', status: 200 }]);
    });
  });
}
