import t from 'tap';
import { koa3 } from './applications/koa.js';
import { checkKoa } from './check-koa.js';

checkKoa(t, koa3);
