import t from 'tap';
import { onLinux } from '../running-service.js';
import { callDuringFaults } from './call-during-faults.js';
import { suspended, unreachable } from './store-faults.js';

t.test('while PostgreSQL is silent, every route answers in time', onLinux, (t) =>
  callDuringFaults(t, ({ PostgreSQL }) => [suspended(['PostgreSQL']), unreachable('PostgreSQL', PostgreSQL)]),
);
