import { createRequire } from 'node:module';
import { fastify as olderFastify } from 'fastify4';
import {
  type ExpressModule,
  type ExpressVersion,
  express5,
} from '../../../../clients/reporter/adapters/applications/express.js';
import { type FastifyVersion, fastify5 } from '../../../../clients/reporter/adapters/applications/fastify.js';
import { type KoaVersion, koa3 } from '../../../../clients/reporter/adapters/applications/koa.js';

/**
 * The major versions before the current ones. Their types differ; they have the same methods as far as the tests use
 * them.
 */
const require = createRequire(import.meta.url);

const express4 = require('express4') as ExpressModule;

export const olderExpress: readonly ExpressVersion[] = [
  { name: 'Express 4', express: express4, Router: express4.Router },
  // Until version 2.3 the router of Express 5 kept no path of what is mounted.
  { ...express5, name: 'Express 5 with routers of version 2.2', Router: require('router22') },
];

const Koa2 = require('koa2') as KoaVersion['Koa'];
const router = (version: number) => require(`koa-router${version}`) as KoaVersion['Router'];

export const olderKoa: readonly KoaVersion[] = [
  { name: 'Koa 2 with @koa/router 12', Koa: Koa2, Router: router(12) },
  { name: 'Koa 2 with @koa/router 13', Koa: Koa2, Router: router(13) },
  { ...koa3, name: 'Koa 3 with @koa/router 14', Router: router(14) },
];

export const fastify4: FastifyVersion = {
  ...fastify5,
  name: 'Fastify 4',
  fastify: olderFastify as unknown as FastifyVersion['fastify'],
};
