import { createServer } from 'node:http';
import { heartline } from '@heartline/reporter/express';
import type { NextFunction, Request, Response } from 'express';
import type { Test } from 'tap';
import { type ExpressVersion, expressApplication } from './applications/express.js';
import { checkAdapter, essence } from './check-adapter.js';
import { createRecorder, listen, send } from './support.js';

const passOn = (_req: Request, _res: Response, next: NextFunction) => next();
const ok = (_req: Request, res: Response) => void res.send('ok');

/** Comes before anything else with this version: Express is followed from the first request on. */
export function checkCoveredRouter(t: Test, { name, express, Router }: ExpressVersion): void {
  t.test(`${name}: covers the router that it is installed in`, async (t) => {
    const { reporter, take, events } = createRecorder();
    const app = express().set('env', 'test');
    app.use(passOn).use('/api', passOn);
    const inside = Router();
    inside.use(heartline(reporter));
    inside.get('/page/:page', ok);
    inside.use('/deep/:deep', Router().get('/items/:item', ok));
    const between = Router();
    between.use('/api', inside);
    app.get('/outside', ok);
    app.use('/:tenant', between);
    const url = await listen(t, createServer(app));
    // The first request finds the way back to the routers around the middleware, the others are followed.
    for (let i = 0; i < 2; i += 1) {
      await send(`${url}/api/api/page/api`);
      await send(`${url}/api/api/deep/api/items/api`);
      await send(`${url}/outside`);
      t.strictSame(
        (await take(2)).map(({ endpoint }) => endpoint),
        ['/:tenant/api/page/:page', '/:tenant/api/deep/:deep/items/:item'],
      );
      t.strictSame(events, []);
    }
  });
}

/** Checks the templates of everything that Express can mount. */
export function checkExpress(t: Test, version: ExpressVersion): void {
  const { name, express, Router } = version;
  t.test(name, async (t) => {
    await checkAdapter(t, expressApplication(version));

    const { reporter, take } = createRecorder();
    const app = express().set('env', 'test');
    app.use(heartline(reporter));
    const keepsExpressions = !name.includes('2.2');
    const isFour = name === 'Express 4';

    const items = Router({ mergeParams: true });
    items.get('/', ok);
    items.get('/:item', ok);
    const shop = Router();
    shop.use('/items', items);
    shop.get(['/a/:b', '/c/:d'], ok);
    shop.get(/^\/code\/(\d+)$/, ok);
    shop.get('/skip', (_req, _res, next: NextFunction) => next());
    shop.get('/leave', (_req, _res, next: NextFunction) => next('router'));
    shop.get(
      '/later/:x',
      (_req, _res, next: NextFunction) => void setImmediate(() => next(new Error('later'))),
    );
    const outer = Router();
    outer.use('/in/:shop', shop);
    outer.use(['/p/:a', '/q/:b/r'], shop);
    outer.use(/^\/rx\/(\d+)/, shop);
    app.use('/shops/:shop', shop);
    app.use('/out/:outer', outer);
    app.use(['/p/:a', '/q/:b/r'], shop);
    app.use(/^\/rx\/(\d+)/, shop);
    const inner = express();
    inner.get('/page/:page', ok);
    inner.use('/deep/:deep', shop);
    app.use('/app/:app', inner);
    app.use('/wrapped/:w', (req, res, next) => shop(req, res, next));
    app.use('/plain', ok);
    app.all(isFour ? '/guarded/*' : '/guarded/*rest', (_req, _res, next: NextFunction) => next());
    app.get(isFour ? '/files/*' : '/files/*path', ok);
    app.get(isFour ? '/maybe/:one?' : '/maybe{/:one}', ok);
    app.get('/', ok);
    app.use(
      (_error: unknown, _req: Request, res: Response, _next: NextFunction) => void res.status(500).end(),
    );
    const url = await listen(t, createServer(app));

    const cases: readonly [path: string, endpoint: string][] = [
      ['/', '/'],
      ['/shops/42/items', '/shops/:shop/items'],
      ['/shops/42/items/', '/shops/:shop/items'],
      ['/shops/items/items/shops', '/shops/:shop/items/:item'],
      ['/shops/a%2Fb%20c/items/%3Fx', '/shops/:shop/items/:item'],
      ['/SHOPS/42/ITEMS', '/shops/:shop/items'],
      ['/shops/42/a/a', '/shops/:shop/a/:b'],
      ['/shops/42/c/9', '/shops/:shop/c/:d'],
      ['/shops/42/code/77', '/shops/:shop/code/(\\d+)'],
      ['/shops/42/skip', 'unmatched'],
      ['/shops/42/leave', 'unmatched'],
      ['/shops/42/later/later', '/shops/:shop/later/:x'],
      ['/out/in/in/out/items/in', '/out/:outer/in/:shop/items/:item'],
      ['/out/q/q/q/r/items/1', '/out/:outer/q/:b/r/items/:item'],
      ['/out/rx/rx/12/items/3', `/out/:outer${keepsExpressions ? '/rx/(\\d+)' : '/(regexp)'}/items/:item`],
      ['/p/p/items/1', '/p/:a/items/:item'],
      ['/q/q/r/items/1?x=1', '/q/:b/r/items/:item'],
      ['/rx/12/items/3', '/rx/(\\d+)/items/:item'],
      ['/app/app/page/page', '/app/:app/page/:page'],
      ['/app/1/deep/deep/items/items', '/app/:app/deep/:deep/items/:item'],
      ['/wrapped/wrapped/items/4', '/wrapped/:w/items/:item'],
      ['/plain/x', 'unmatched'],
      ['/guarded/x', 'unmatched'],
      ['/files/a/b', isFour ? '/files/*' : '/files/*path'],
      ['/maybe/1', isFour ? '/maybe/:one' : '/maybe{/:one}'],
      ['/shops/%zz/items', 'unmatched'],
      ['/nothing', 'unmatched'],
    ];
    for (const [path, endpoint] of cases) {
      await send(url + path);
      const [event] = await take(1);
      t.equal(event?.endpoint, endpoint, path);
    }
    await Promise.all(Array.from({ length: 20 }, (_, i) => send(`${url}/shops/s${i}/later/x${i}`)));
    const together = await take(20);
    const failed = { endpoint: '/shops/:shop/later/:x', method: 'GET', status: 500 };
    t.strictSame(together.map(essence), Array(20).fill(failed), 'and so for requests at the same time');
  });
}
