import t from 'tap';
import { fastify5 } from './applications/fastify.js';
import { checkFastify } from './check-fastify.js';

checkFastify(t, fastify5);
