import 'reflect-metadata';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { useHeartline as install } from '@heartline/reporter/nest';
import type { MiddlewareConsumer, NestMiddleware, NestModule, Type } from '@nestjs/common';
import t from 'tap';
import { checkAdapter, type Under } from './check-adapter.js';
import { createRecorder, createStage, listen, send } from './support.js';

type Modules = {
  common: typeof import('@nestjs/common');
  core: typeof import('@nestjs/core');
  express: typeof import('@nestjs/platform-express');
  fastify: typeof import('@nestjs/platform-fastify');
};

/** The reporter has Nest 10 for its tests; both versions have the methods that these tests use. */
function loadNest(from: string): Modules {
  const require = createRequire(new URL(from, new URL('../../../../../', import.meta.url)));
  return {
    common: require('@nestjs/common'),
    core: require('@nestjs/core'),
    express: require('@nestjs/platform-express'),
    fastify: require('@nestjs/platform-fastify'),
  };
}

const versions = [
  { version: 10, nest: loadNest('clients/reporter/package.json') },
  { version: 11, nest: loadNest('package.json') },
];
const platforms = ['express', 'fastify'] as const;

/** Decorates a method of a controller, which no syntax of TypeScript's own decorators can. */
function route(controller: Type, name: string, decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, name);
  if (descriptor === undefined) throw new Error(`There is no ${name}().`);
  for (const decorate of decorators) decorate(controller.prototype, name, descriptor);
}

function createShop(
  { Controller, Get, Post, HttpCode, StreamableFile }: Modules['common'],
  { stage }: Pick<Under, 'stage'>,
) {
  class Shop {
    item() {
      return 'ok';
    }
    add() {}
    fail() {
      throw new Error('The till is stuck.');
    }
    hang() {
      stage.arrive();
      return new Promise(() => {});
    }
    stream() {
      const body = new PassThrough();
      body.write('one');
      stage.arrive();
      void stage.held().then(() => body.end('two'));
      return new StreamableFile(body);
    }
  }
  Controller('shops/:shop')(Shop);
  route(Shop, 'item', [Get('items/:item')]);
  route(Shop, 'add', [Post('items'), HttpCode(201)]);
  for (const name of ['fail', 'hang', 'stream']) route(Shop, name, [Get(name)]);
  return Shop;
}

function createMore({ Controller, Get, All, Version, Injectable, Module }: Modules['common'], Shop: Type) {
  class More {
    one() {
      return 'one';
    }
    two() {
      return 'two';
    }
    any() {
      return 'any';
    }
  }
  Controller({ path: 'more/:more', version: '1' })(More);
  route(More, 'one', [Get('one/:one')]);
  route(More, 'two', [Get('one/:one'), Version('2')]);
  route(More, 'any', [All('any')]);
  class Guard implements NestMiddleware {
    use(req: { headers: object }, res: { statusCode: number; end(): void }, next: () => void) {
      if (!('closed' in req.headers)) return next();
      res.statusCode = 401;
      res.end();
    }
  }
  Injectable()(Guard);
  class App implements NestModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(Guard).forRoutes(More);
    }
  }
  Module({ controllers: [Shop, More] })(App);
  return App;
}

for (const { version, nest } of versions) {
  for (const platform of platforms) {
    t.test(`Nest ${version} on ${platform}`, async (t) => {
      async function start(under: Under, prepare: (app: Awaited<ReturnType<typeof create>>) => unknown) {
        const app = await create(createMore(nest.common, createShop(nest.common, under)));
        app.enableVersioning({ type: nest.common.VersioningType.URI });
        prepare(app);
        install(app, under.reporter, under.options);
        install(app, under.reporter, under.options);
        await app.init();
        if (platform === 'fastify') await app.getHttpAdapter().getInstance().ready();
        return app.getHttpServer() as Server;
      }
      const create = (App: Type) => {
        const adapter =
          platform === 'fastify' ? new nest.fastify.FastifyAdapter() : new nest.express.ExpressAdapter();
        return nest.core.NestFactory.create(App, adapter, { logger: false });
      };
      await checkAdapter(t, (under) => start(under, () => {}));

      const { reporter, take } = createRecorder();
      const under = { reporter, options: {}, stage: createStage() };
      const server = await start(under, (app) => app.setGlobalPrefix('api'));
      const url = await listen(t, server);
      const cases: readonly [path: string, endpoint: string, method?: string][] = [
        ['/api/shops/42/items/7', '/api/shops/:shop/items/:item'],
        ['/api/v1/more/one/one/one', '/api/v1/more/:more/one/:one'],
        ['/api/v2/more/v2/one/v1', '/api/v2/more/:more/one/:one'],
        ['/api/v1/more/a%2Fb/any?x=1', '/api/v1/more/:more/any', 'PUT'],
        ['/api/v3/more/1/any', 'unmatched'],
        ['/api/v1/more/1/nothing', 'unmatched'],
        ['/shops/42/items/7', 'unmatched'],
      ];
      for (const [path, endpoint, method = 'GET'] of cases) {
        await send(url + path, { method });
        const [event] = await take(1);
        t.equal(event?.endpoint, endpoint, path);
      }
    });
  }
}
