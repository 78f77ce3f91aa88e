import { ClickHouseError } from '@clickhouse/client';
import { type Deferred, deferred } from '../../lib/deferred.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/**
 * The outcome of an insert: it is stored; it is never sent; it is stored and the answer never arrives; it is stored and
 * the answer is an error; it is not sent and the answer is an error; the server refuses it.
 */
export type InsertBehaviour = 'store' | 'hang' | 'storeAndHang' | 'storeAndFail' | 'fail' | 'refuse';

export type ControlledClickHouse = {
  clickhouse: ClickHouseClient;
  behaviour: InsertBehaviour;
  /** How many inserts were requested. */
  inserts: number;
  /** Resumes the inserts that hang: stores each that is not stored yet, and answers it. */
  release(): void;
};

/** Returns the client with inserts that end as the test chooses. */
export function controlClickHouse(real: ClickHouseClient): ControlledClickHouse {
  const hanging: Deferred<void>[] = [];
  const wait = (): Promise<void> => {
    const released = deferred<void>();
    hanging.push(released);
    return released.promise;
  };
  async function insert(...args: Parameters<ClickHouseClient['insert']>) {
    control.inserts += 1;
    const { behaviour } = control;
    if (behaviour === 'refuse') {
      throw new ClickHouseError({ message: 'Disk is full.', code: '243', type: 'NOT_ENOUGH_SPACE' });
    }
    if (behaviour === 'fail') throw new Error('The connection was refused.');
    // A caller gives up before then, but the insert itself goes on.
    const { abort_signal: _, ...lasting } = args[0];
    if (behaviour === 'hang') await wait();
    const result = await real.insert(lasting);
    if (behaviour === 'storeAndHang') await wait();
    if (behaviour === 'storeAndFail') throw new Error('The connection was closed.');
    return result;
  }
  const control: ControlledClickHouse = {
    clickhouse: new Proxy(real, {
      get: (target, name) => (name === 'insert' ? insert : Reflect.get(target, name, target)),
    }),
    behaviour: 'store',
    inserts: 0,
    release() {
      for (const released of hanging.splice(0)) released.resolve();
    },
  };
  return control;
}
