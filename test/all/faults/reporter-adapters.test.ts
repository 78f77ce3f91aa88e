import t from 'tap';
import { expressApplication } from '../../clients/reporter/adapters/applications/express.js';
import { fastifyApplication } from '../../clients/reporter/adapters/applications/fastify.js';
import { koaApplication } from '../../clients/reporter/adapters/applications/koa.js';
import { type Subject, visitShop } from '../../faults/adapters-load.js';
import { checkAdaptersUnderKills } from '../../faults/check-adapters.js';
import { onLinux } from '../../faults/running-service.js';
import { nestApplication, nestVersions } from '../clients/reporter/adapters/applications/nest.js';
import { fastify4, olderExpress, olderKoa } from '../clients/reporter/adapters/older-versions.js';

const subjects: readonly Subject[] = [
  ...olderExpress.map((one) => [one.name, expressApplication(one), visitShop] as const),
  ...olderKoa.map((one) => [one.name, koaApplication(one), visitShop] as const),
  [fastify4.name, fastifyApplication(fastify4), visitShop],
  ...nestVersions.map((one) => [one.name, nestApplication(one), visitShop] as const),
];

t.test(
  'Nest and the older versions, while the service is killed twice: each request counts once',
  onLinux,
  (t) => checkAdaptersUnderKills(t, subjects),
);
