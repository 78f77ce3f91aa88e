import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { heartline as heartlineExpress } from '@heartline/reporter/express';
import { heartline as heartlineFastify } from '@heartline/reporter/fastify';
import { heartline as heartlineHono } from '@heartline/reporter/hono';
import { heartline as heartlineKoa } from '@heartline/reporter/koa';
import type { Router } from 'express';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { Hono } from 'hono';
import type { Context } from 'koa';
import type { Test } from 'tap';
import type { ExpressModule, ExpressVersion } from './applications/express.js';
import type { FastifyVersion } from './applications/fastify.js';
import type { KoaVersion } from './applications/koa.js';
import {
  isSecret,
  pathOf,
  routesOf,
  type Segment,
  type Tree,
  trees,
  values,
  withoutTwins,
} from './router-trees.js';
import { createRecorder, listen, type Recorder } from './support.js';

/** Answers a request with the template that the route was declared with, empty for none. */
type Application = { ask(path: string): Promise<string> };
/** Makes an application of what Node.js calls for a request. */
type Serve = (listener: RequestListener) => Application;
export type Build = (
  tree: Tree,
  reporter: Recorder['reporter'],
  serve: Serve,
) => Promise<Application> | Application;

/** Listens once for all applications: each test request names nothing but its path. */
async function startServer(t: Test): Promise<Serve> {
  let listener: RequestListener = () => {};
  const url = await listen(
    t,
    createServer((req, res) => listener(req, res)),
  );
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  return (application) => ({
    async ask(path) {
      listener = application;
      const [answer] = (await once(request(url + path, { agent }).end(), 'response')) as [IncomingMessage];
      answer.resume();
      await once(answer, 'end');
      return String(answer.headers['template'] ?? '');
    },
  });
}

const template = (around: readonly Segment[], route: readonly Segment[]) => pathOf([...around, ...route]);

function expressRouter(create: ExpressModule['Router'], tree: Tree, around: readonly Segment[]): Router {
  const router = create({ mergeParams: around.length % 2 === 0 });
  for (const route of tree.routes) {
    router.get(pathOf(route), (_req, res) => void res.set('template', template(around, route)).end());
  }
  for (const child of tree.children)
    router.use(pathOf(child.mount), expressRouter(create, child, [...around, ...child.mount]));
  return router;
}

export const buildExpress =
  ({ express, Router }: ExpressVersion): Build =>
  (tree, reporter, serve) => {
    const app = express();
    app.use(heartlineExpress(reporter));
    app.use(pathOf(tree.mount), expressRouter(Router, tree, tree.mount));
    return serve(app);
  };

function koaRouter(create: KoaVersion['Router'], tree: Tree, around: readonly Segment[]) {
  const router = new create();
  for (const route of tree.routes)
    router.get(pathOf(route), (ctx: Context) => {
      ctx.set('template', template(around, route));
      ctx.body = '';
    });
  for (const child of tree.children)
    router.use(pathOf(child.mount), koaRouter(create, child, [...around, ...child.mount]).routes());
  return router;
}

export const buildKoa =
  ({ Koa, Router }: KoaVersion): Build =>
  (tree, reporter, serve) => {
    const app = new Koa();
    app.use(heartlineKoa(reporter));
    const router = new Router();
    router.use(pathOf(tree.mount), koaRouter(Router, tree, tree.mount).routes());
    app.use(router.routes());
    const listener = app.callback();
    return serve((req, res) => void listener(req, res));
  };

export const buildFastify =
  ({ fastify }: FastifyVersion): Build =>
  async (tree, reporter) => {
    const app = fastify();
    app.register(heartlineFastify(reporter));
    const plugin =
      (tree: Tree, around: readonly Segment[]) =>
      async (instance: FastifyInstance): Promise<void> => {
        for (const route of tree.routes)
          instance.get(pathOf(route), async (_request, reply) =>
            reply.header('template', template(around, route)).send(''),
          );
        for (const child of tree.children)
          instance.register(plugin(child, [...around, ...child.mount]), { prefix: pathOf(child.mount) });
      };
    app.register(plugin(tree, tree.mount), { prefix: pathOf(tree.mount) });
    await app.ready();
    return { ask: async (path) => String((await app.inject(path)).headers['template'] ?? '') };
  };

function honoRouter(tree: Tree, around: readonly Segment[]): Hono {
  const app = new Hono();
  for (const route of tree.routes)
    app.get(pathOf(route), (c) => c.body('', 200, { template: template(around, route) }));
  for (const child of tree.children)
    app.route(pathOf(child.mount), honoRouter(child, [...around, ...child.mount]));
  return app;
}

export const buildHono: Build = (tree, reporter) => {
  const app = new Hono();
  app.use(heartlineHono(reporter));
  app.route(pathOf(tree.mount), honoRouter(tree, tree.mount));
  return {
    async ask(path) {
      const answer = await app.request(path);
      await answer.text();
      return answer.headers.get('template') ?? '';
    },
  };
};

/** A tree, and paths of its routes with values for the parameters, some with one segment too many. */
const visits = trees
  .map((tree) => withoutTwins(tree))
  .chain((tree) =>
    fc.record({
      tree: fc.constant(tree),
      paths: fc.array(
        fc
          .record({
            route: fc.constantFrom(...routesOf(tree)),
            values: fc.array(values, { minLength: 8, maxLength: 8 }),
            further: fc.oneof(
              { weight: 5, arbitrary: fc.constant(undefined) },
              { weight: 1, arbitrary: values },
            ),
          })
          .map(({ route, values, further }) => {
            const filled = route.map((one, i) => ('text' in one ? one.text : values[i]));
            return `/${[...filled, ...(further === undefined ? [] : [further])].join('/')}`;
          }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  );

/** Checks each of the applications on the same kinds of trees. */
export function checkTemplates(t: Test, builds: Readonly<Record<string, Build>>): void {
  for (const [name, build] of Object.entries(builds)) {
    t.test(`${name}: the template is that of the declared route, whatever the values`, async (t) => {
      const serve = await startServer(t);
      let matched = 0;
      await fc.assert(
        fc.asyncProperty(visits, async ({ tree, paths }) => {
          const { reporter, take } = createRecorder();
          const application = await build(tree, reporter, serve);
          for (const path of paths) {
            const declared = await application.ask(path);
            const [event] = await take(1);
            const endpoint = event?.endpoint ?? '';
            if (declared !== '') matched += 1;
            if (endpoint !== (declared || 'unmatched') || isSecret(endpoint))
              throw new Error(`${path} is counted as ${endpoint}, and ${declared} has answered.`);
          }
        }),
        { numRuns: 100 },
      );
      t.ok(matched > 200, `${matched} requests were answered by a route`);
    });
  }
}
