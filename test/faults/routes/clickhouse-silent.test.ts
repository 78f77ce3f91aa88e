import t from 'tap';
import { onLinux } from '../running-service.js';
import { callDuringFaults } from './call-during-faults.js';
import { stores, suspended, unreachable } from './store-faults.js';

t.test('while ClickHouse is silent, or both stores are, every route answers in time', onLinux, (t) =>
  callDuringFaults(t, ({ ClickHouse }) => [
    suspended(['ClickHouse']),
    unreachable('ClickHouse', ClickHouse),
    suspended(stores),
  ]),
);
