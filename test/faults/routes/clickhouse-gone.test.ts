import t from 'tap';
import { onLinux } from '../running-service.js';
import { callDuringFaults } from './call-during-faults.js';
import { killed, refusing } from './store-faults.js';

t.test('while ClickHouse is gone, every route answers in time', onLinux, (t) =>
  callDuringFaults(t, ({ ClickHouse }) => [refusing('ClickHouse', ClickHouse), killed('ClickHouse')]),
);
