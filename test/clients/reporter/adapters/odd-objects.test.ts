import { heartline as express } from '@heartline/reporter/express';
import { heartline as fastify } from '@heartline/reporter/fastify';
import { heartline as hono } from '@heartline/reporter/hono';
import { heartline as koa } from '@heartline/reporter/koa';
import { heartline as next } from '@heartline/reporter/next';
import t from 'tap';
import { createRecorder } from './support.js';

/** Fails on any use; what a later version of a framework passes may be as different. */
const odd = new Proxy(
  {},
  {
    get() {
      throw new Error('odd');
    },
  },
) as never;

const { reporter, events } = createRecorder();

t.test('an adapter passes on what it does not understand', async (t) => {
  for (const value of [odd, {} as never]) {
    let passed = 0;
    express(reporter)(value, value, () => {
      passed += 1;
    });
    await koa(reporter)({ req: value, res: value, method: 'GET' }, async () => {
      passed += 1;
    });
    await hono(reporter)({ req: { raw: value, routeIndex: 0 }, env: value } as never, async () => {
      passed += 1;
    });
    next(reporter)('/', () => {
      passed += 1;
    })();
    next(reporter)('/', (_one: object, _other: object) => {
      passed += 1;
    })(value, value);
    const done = () => {
      passed += 1;
    };
    fastify(reporter)(
      {
        server: { prependListener: (_event, listener) => listener(value, value) },
        addHook(name: string, hook: (...args: never[]) => void) {
          if (name === 'onRequest') hook(...([{ raw: {} }, { raw: value }, done] as never[]));
        },
      },
      {},
      done,
    );
    t.equal(passed, 7);
  }
  t.strictSame(events, []);
});
