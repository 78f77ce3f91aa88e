import t from 'tap';
import { express5 } from './applications/express.js';
import { fastify5 } from './applications/fastify.js';
import { koa3 } from './applications/koa.js';
import { buildExpress, buildFastify, buildHono, buildKoa, checkTemplates } from './check-templates.js';

checkTemplates(t, {
  'Express 5': buildExpress(express5),
  '@koa/router 15': buildKoa(koa3),
  'Fastify 5': buildFastify(fastify5),
  Hono: buildHono,
});
