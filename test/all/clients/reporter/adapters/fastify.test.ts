import t from 'tap';
import { checkFastify } from '../../../../clients/reporter/adapters/check-fastify.js';
import { fastify4 } from './older-versions.js';

checkFastify(t, fastify4);
