import 'reflect-metadata';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { useHeartline as install } from '@heartline/reporter/nest';
import type { INestApplication, Type } from '@nestjs/common';
import type { Application, Under } from '../../../../../clients/reporter/adapters/check-adapter.js';

export type Nest = {
  common: typeof import('@nestjs/common');
  core: typeof import('@nestjs/core');
  express: typeof import('@nestjs/platform-express');
  fastify: typeof import('@nestjs/platform-fastify');
};

/** Loads the Nest of a package; both versions have the methods that these tests use. */
function loadNest(from: string): Nest {
  const require = createRequire(new URL(`../../../../../../../test/all/${from}`, import.meta.url));
  return {
    common: require('@nestjs/common'),
    core: require('@nestjs/core'),
    express: require('@nestjs/platform-express'),
    fastify: require('@nestjs/platform-fastify'),
  };
}

const versions = [
  { version: 10, nest: loadNest('nest10/package.json') },
  { version: 11, nest: loadNest('package.json') },
];
export const nestVersions = versions.flatMap(({ version, nest }) =>
  (['express', 'fastify'] as const).map((platform) => ({
    name: `Nest ${version} on ${platform}`,
    ...{ nest, platform },
  })),
);

/** Decorates a method of a controller: the compiler's own decorators are not those that Nest has. */
export function route(controller: Type, name: string, decorators: readonly MethodDecorator[]): void {
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, name);
  if (descriptor === undefined) throw new Error(`There is no ${name}().`);
  for (const decorate of decorators) decorate(controller.prototype, name, descriptor);
}

/** The controller of `checkAdapter`'s application. */
export function createShop(
  { Controller, Get, Post, HttpCode, StreamableFile }: Nest['common'],
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

/** Starts a module, with the adapter and versions in the path. */
export async function startNest(
  { nest, platform }: (typeof nestVersions)[number],
  Module: Type,
  { reporter, options }: Pick<Under, 'reporter' | 'options'>,
  prepare: (app: INestApplication) => unknown = () => {},
): Promise<Server> {
  const adapter =
    platform === 'fastify' ? new nest.fastify.FastifyAdapter() : new nest.express.ExpressAdapter();
  const app = await nest.core.NestFactory.create(Module, adapter, { logger: false });
  app.enableVersioning({ type: nest.common.VersioningType.URI });
  prepare(app);
  install(app, reporter, options);
  install(app, reporter, options);
  await app.init();
  if (platform === 'fastify') await app.getHttpAdapter().getInstance().ready();
  return app.getHttpServer();
}

/** The application of `checkAdapter` for a version of Nest and a platform. */
export function nestApplication(version: (typeof nestVersions)[number]): Application {
  return (under) => {
    class App {}
    version.nest.common.Module({ controllers: [createShop(version.nest.common, under)] })(App);
    return startNest(version, App, under);
  };
}
