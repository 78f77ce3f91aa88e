import { EventEmitter } from 'node:events';
import { mongoClient, mysqlPool, type PoolSource, pgPool } from '@heartline/pool-reporter';
import mysqlPromise from 'mysql2/promise';
import pg from 'pg';
import t, { type Test } from 'tap';
import type { CheckedPool } from '../../database-health/pool-reports/parse-pool-report.js';
import { startMysqlServer } from '../support/mysql-server.js';
import { reportOf } from '../support/pool-reporter.js';

const names = { target: 'orders', pool: 'main' };

async function measure(t: Test, sources: PoolSource[], use: () => Promise<void>): Promise<CheckedPool[]> {
  return (await reportOf(t, sources, use)).pools;
}

const aTurn = async () => {
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
};

t.test('two reporters measure the same values of one pool, and stop in any order', async (t) => {
  const server = await startMysqlServer(t);
  for (const order of ['first', 'second']) {
    t.test(`the ${order} one stops first`, async (t) => {
      const pool = mysqlPromise.createPool({ host: '127.0.0.1', port: server.port, connectionLimit: 1 });
      const held = await pool.getConnection();
      const corePool = pool.pool;
      const before = Object.getOwnPropertyNames(corePool);
      const [one, two] = [mysqlPool(pool, names), mysqlPool(pool, names)].map((source) => source.attach());
      const waiting = pool.getConnection();
      await aTurn();
      held.destroy(); // The pool asks itself for another connection for who waits.
      (await waiting).release();
      for (const measured of [one, two]) {
        const [entry] = measured?.take() ?? [];
        t.match(entry, {
          coverage: 'complete',
          snapshot: { open: 1, busy: 0, idle: 1, waiting: 0 },
          peaks: { open: 1, busy: 1, waiting: 1 },
          ...{ failures: 0, created: 1, closed: 1 },
        });
        t.equal(
          entry?.acquisition?.counts.reduce((sum, count) => sum + count),
          1,
        );
      }
      const idle = await pool.getConnection();
      const { connection } = idle;
      idle.release();
      for (const left of order === 'first' ? [one, two] : [two, one]) {
        left?.detach();
        await pool.query('SELECT 1');
      }
      t.strictSame(Object.getOwnPropertyNames(corePool), before);
      for (const event of ['connection', 'acquire', 'release'])
        t.equal(corePool.listenerCount(event), 0, event);
      // One listener is the driver's own.
      for (const event of ['end', 'error']) t.equal(connection.listenerCount(event), 1, event);
      for (const gone of [connection, held.connection]) t.notOk(Object.hasOwn(gone, 'destroy'));
      await pool.end();
    });
  }
});

t.test('a later wrapper of a method stays in place', async (t) => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const attached = pgPool(pool, names).attach();
  const ours = pool.connect;
  const theirs = () => Reflect.apply(ours, pool, []);
  Object.assign(pool, { connect: theirs });
  attached.detach();
  t.equal(pool.connect, theirs);
  await t.rejects(pool.connect(), { code: 'ECONNREFUSED' });
  await pool.end();
});

/** A pool whose events the test emits. */
class ScriptedMysqlPool extends EventEmitter {
  readonly config = { connectionLimit: 10 };
  readonly _allConnections: unknown[] = [];
  readonly _freeConnections: unknown[] = [];
  readonly _connectionQueue: unknown[] = [];
  getConnection(callback: (error: unknown) => void): void {
    callback(new Error('There is none.'));
  }
}

t.test('events in an impossible order do no harm', async (t) => {
  t.test('mysql2', async (t) => {
    const pool = new ScriptedMysqlPool();
    const [one, two] = [0, 1].map(() => Object.assign(new EventEmitter(), { destroy() {} }));
    const [measured] = await measure(t, [mysqlPool(pool, names)], async () => {
      pool.emit('release', one); // Neither made nor taken.
      pool.emit('acquire', one);
      pool.emit('connection', one);
      pool.emit('connection', one);
      pool.emit('release', one);
      pool.emit('connection', two);
      pool.emit('acquire', two);
      pool.emit('acquire', two);
      two?.emit('end');
      two?.emit('end');
      two?.destroy();
      pool.emit('release', two);
      pool.emit('acquire', two);
      pool.emit('connection');
    });
    t.match(measured, {
      snapshot: { open: 1, busy: 0, idle: 1 },
      peaks: { open: 2, busy: 1 },
      ...{ created: 2, closed: 1 },
    });
  });

  t.test('pg', async (t) => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
    const client = {};
    const [measured] = await measure(t, [pgPool(pool, names)], async () => {
      pool.emit('release', undefined, client as pg.PoolClient);
      pool.emit('acquire', client as pg.PoolClient);
      pool.emit('remove', client as pg.PoolClient);
      pool.emit('remove', client as pg.PoolClient);
      pool.emit('release', undefined, client as pg.PoolClient);
    });
    t.match(measured, { snapshot: { open: 0, busy: 0, idle: 0 }, closed: 1 });
    await pool.end();
  });

  t.test('mongodb', async (t) => {
    const client = Object.assign(new EventEmitter(), { options: { minPoolSize: 0, maxPoolSize: 5 } });
    const send = (name: string, connectionId?: number) =>
      client.emit(name, { address: 'a:1', connectionId, durationMS: 2 });
    const [measured] = await measure(t, [mongoClient(client, names)], async () => {
      send('connectionClosed', 7); // Of no pool.
      send('connectionPoolCreated');
      send('connectionCheckedIn', 1);
      send('connectionCheckedOut', 1);
      send('connectionReady', 1);
      send('connectionReady', 1);
      send('connectionReady', 2);
      send('connectionCheckedOut', 2);
      send('connectionCheckedOut', 2);
      send('connectionClosed', 2);
      send('connectionClosed', 2);
      send('connectionCheckedIn', 2);
      send('connectionCheckedOut', 2);
      client.emit('connectionReady');
    });
    t.match(measured, {
      coverage: 'complete',
      snapshot: { open: 1, busy: 0, idle: 1, waiting: 0 },
      peaks: { open: 2, busy: 1 },
      ...{ created: 2, closed: 1 },
    });
  });
});

t.test('a callback that throws counts once, and its error reaches the host', async (t) => {
  const pool = new ScriptedMysqlPool();
  const [measured] = await measure(t, [mysqlPool(pool, names)], async () => {
    const fail = () => {
      throw new Error('of the host');
    };
    t.throws(() => pool.getConnection(fail), { message: 'of the host' });
  });
  t.match(measured, { failures: 1, snapshot: { waiting: 0 } });
});

t.test('an object that is no pool goes to onError and stays unchanged', async (t) => {
  const told: string[] = [];
  const connection = Object.assign(new EventEmitter(), { query() {} });
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const nothing = undefined as unknown as EventEmitter;
  const sources = [
    mysqlPool(connection, names),
    pgPool(new pg.Client() as unknown as pg.Pool, names),
    mongoClient(nothing, names),
    pgPool(pool, nothing as unknown as typeof names),
  ];
  const { pools } = await reportOf(t, sources, async () => {}, told);
  t.strictSame(pools, []);
  t.equal(told.length, sources.length);
  t.match(told[0], /no getConnection/);
  t.match(told[1], /no totalCount/);
  t.notOk('getConnection' in connection);
  t.strictSame(connection.eventNames(), []);
  t.strictSame([pool.eventNames(), Object.hasOwn(pool, 'connect')], [[], false]);
  await pool.end();
});

t.test('a limit given as text is reported as a number', async (t) => {
  const max = '7' as unknown as number;
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1, max });
  const [measured] = await measure(t, [pgPool(pool, names)], async () => {});
  t.match(measured, { minimum: 0, maximum: 7 });
  await pool.end();
});

t.test('a driver whose state becomes unreadable breaks nothing', async (t) => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const told: string[] = [];
  const { pools } = await reportOf(
    t,
    [pgPool(pool, names)],
    async () => {
      const asked = pool.connect();
      Object.defineProperty(pool, 'totalCount', {
        get() {
          throw new Error('gone');
        },
      });
      await t.rejects(asked, { code: 'ECONNREFUSED' });
      await aTurn();
    },
    told,
  );
  t.strictSame([pools, told], [[], ['gone']]);
  await pool.end();
});
