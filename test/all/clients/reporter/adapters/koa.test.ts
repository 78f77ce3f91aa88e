import t from 'tap';
import { checkKoa } from '../../../../clients/reporter/adapters/check-koa.js';
import { olderKoa } from './older-versions.js';

for (const version of olderKoa) checkKoa(t, version);
