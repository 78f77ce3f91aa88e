import t from 'tap';
import {
  buildExpress,
  buildFastify,
  buildKoa,
  checkTemplates,
} from '../../../../clients/reporter/adapters/check-templates.js';
import { fastify4, olderExpress, olderKoa } from './older-versions.js';

checkTemplates(t, {
  ...Object.fromEntries(olderExpress.map((version) => [version.name, buildExpress(version)])),
  ...Object.fromEntries(olderKoa.map((version) => [version.name, buildKoa(version)])),
  'Fastify 4': buildFastify(fastify4),
});
