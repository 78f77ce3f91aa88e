import { createHash } from 'node:crypto';
import { mongoClient, mysqlPool, type PoolSource, pgPool, postgresJs } from '@heartline/pool-reporter';
import { MongoClient } from 'mongodb';
import mysql from 'mysql2';
import mysqlPromise from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import t, { type Test } from 'tap';
import type { CheckedPool } from '../../database-health/pool-reports/parse-pool-report.js';
import { startMongoServer } from '../support/mongo-server.js';
import { startMysqlServer } from '../support/mysql-server.js';
import { reportOf } from '../support/pool-reporter.js';
import { waitUntil } from '../support/wait-until.js';

const names = { target: 'orders', pool: 'main' };
const everything = ['open', 'busy', 'idle', 'waiting', 'acquisition', 'failures', 'created', 'closed'];
/** A port on which nothing listens. */
const closedPort = 1;

/** The report of the only server of a pool. */
async function measure(t: Test, source: PoolSource, use: () => Promise<void>): Promise<CheckedPool> {
  const { pools } = await reportOf(t, [source], use);
  t.equal(pools.length, 1);
  const [pool] = pools;
  if (pool === undefined) throw new Error('No pool was reported.');
  return pool;
}

function acquisitionsOf({ acquisition }: CheckedPool): number | undefined {
  return acquisition?.counts.reduce((sum, count) => sum + count);
}

/** Waits for two turns of the event loop, after which a caller counts as waiting. */
const aTurn = async () => {
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
};

t.test('mysql2 with callbacks and with promises', async (t) => {
  const server = await startMysqlServer(t);
  const options = { host: '127.0.0.1', port: server.port, user: 'root', connectionLimit: 2 };
  for (const kind of ['callbacks', 'promises']) {
    t.test(kind, async (t) => {
      const callbackPool = mysql.createPool(options);
      const pool = kind === 'callbacks' ? callbackPool.promise() : mysqlPromise.createPool(options);
      const source = mysqlPool(kind === 'callbacks' ? callbackPool : pool, names);
      const measured = await measure(t, source, async () => {
        const [one, two] = [await pool.getConnection(), await pool.getConnection()];
        const third = pool.getConnection();
        await aTurn();
        one.release(); // Goes to who waits.
        const held = await third;
        const fourth = pool.getConnection();
        await aTurn();
        two.destroy(); // For who waits another one is made.
        (await fourth).release();
        held.release();
        await pool.query('SELECT 1');
      });
      t.match(measured, {
        system: 'mysql',
        ...names,
        serverPool: 'default',
        driverVersion: /^3\.\d+\.\d+$/,
        coverage: 'complete',
        supported: everything,
        snapshot: { open: 2, busy: 0, idle: 2, waiting: 0 },
        peaks: { open: 2, busy: 2, waiting: 1 },
        failures: 0,
        created: 3,
        closed: 1,
        minimum: null,
        maximum: 2,
      });
      t.equal(acquisitionsOf(measured), 5);
      await pool.end();
    });
  }

  t.test('connections that the server closes are closed', async (t) => {
    const pool = mysqlPromise.createPool(options);
    t.teardown(() => pool.end());
    const measured = await measure(t, mysqlPool(pool, names), async () => {
      const held = await pool.getConnection();
      const failed = new Promise((resolve) => held.connection.once('error', resolve));
      server.disconnect();
      await failed;
    });
    t.match(measured, {
      snapshot: { open: 0, busy: 0, idle: 0, waiting: 0 },
      peaks: { open: 1, busy: 1 },
      created: 1,
      closed: 1,
    });
  });

  t.test('connections abandoned while the server does not answer are closed', async (t) => {
    const pool = mysqlPromise.createPool(options);
    const measured = await measure(t, mysqlPool(pool, names), async () => {
      const [one, two] = [await pool.getConnection(), await pool.getConnection()];
      server.freeze();
      one.destroy();
      // Like the promises of early versions.
      Reflect.apply(Reflect.get(Object.getPrototypeOf(two.connection), 'destroy'), two.connection, []);
    });
    t.match(measured, { snapshot: { open: 0, busy: 0, idle: 0 }, created: 2, closed: 2 });
    server.disconnect();
    await pool.end();
  });

  t.test('connections older than the reporter are counted', async (t) => {
    const pool = mysqlPromise.createPool(options);
    t.teardown(() => pool.end());
    (await pool.getConnection()).release();
    const measured = await measure(t, mysqlPool(pool, names), async () => {
      await pool.query('SELECT 1');
    });
    t.match(measured, { snapshot: { open: 1, busy: 0, idle: 1 }, created: 0 });
  });
});

t.test('mysql2: an unavailable server causes failures', async (t) => {
  const pool = mysqlPromise.createPool({ host: '127.0.0.1', port: closedPort, connectionLimit: 2 });
  const measured = await measure(t, mysqlPool(pool, names), async () => {
    await t.rejects(pool.getConnection(), { code: 'ECONNREFUSED' });
    await t.rejects(pool.query('SELECT 1'), { code: 'ECONNREFUSED' });
  });
  t.match(measured, {
    snapshot: { open: 0, busy: 0, idle: 0, waiting: 0 },
    failures: 2,
    created: 0,
    closed: 0,
  });
  t.equal(acquisitionsOf(measured), 0);
  await pool.end();
});

t.test('pg: an unavailable server causes failures, and stop() restores the pool', async (t) => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: closedPort, max: 3, min: 1 });
  const before = Object.getOwnPropertyNames(pool);
  const measured = await measure(
    t,
    pgPool(pool, { ...names, serverPool: 'replica', driverVersion: '8.x' }),
    async () => {
      await t.rejects(pool.connect(), { code: 'ECONNREFUSED' });
      await t.rejects(pool.query('SELECT 1'), { code: 'ECONNREFUSED' });
      const error = await new Promise((resolve) => pool.connect(resolve));
      t.match(error, { code: 'ECONNREFUSED' });
    },
  );
  t.match(measured, {
    ...{ serverPool: 'replica', driverVersion: '8.x', minimum: 1, maximum: 3 },
    ...{ failures: 3, created: 0, closed: 0, peaks: { open: 0, busy: 0, waiting: 1 } },
  });
  t.strictSame(Object.getOwnPropertyNames(pool), before);
  for (const event of ['connect', 'acquire', 'release', 'remove', 'error']) {
    t.equal(pool.listenerCount(event), 0, event);
  }
  await pool.end();
});

t.test('pg: an unhandled rejection stays unhandled', async (t) => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: closedPort });
  const seen: unknown[] = [];
  const note = (reason: unknown) => seen.push(reason);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  t.teardown(() => {
    process.off('unhandledRejection', note);
    for (const listener of others) process.on('unhandledRejection', listener);
  });
  await measure(t, pgPool(pool, names), async () => {
    void pool.connect();
    await waitUntil('it is seen', () => seen.length > 0);
  });
  t.match(seen, [{ code: 'ECONNREFUSED' }]);
});

t.test('postgres: reports only the limit', async (t) => {
  const sql = postgres('postgres://127.0.0.1:1/orders', { max: 7 });
  const measured = await measure(t, postgresJs(sql, names), async () => {});
  t.match(measured, {
    system: 'postgresql',
    driverVersion: /^3\.\d+\.\d+$/,
    coverage: 'partial',
    snapshot: { open: null, busy: null, idle: null, waiting: null },
    peaks: { open: null, busy: null, waiting: null },
    ...{ acquisition: null, failures: null, created: null, closed: null },
    maximum: 7,
  });
  t.strictSame(measured.supported, []);
});

t.test('mongodb: one pool for each server', async (t) => {
  const { port } = await startMongoServer(t);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?maxPoolSize=2`, { serverApi: '1' });
  t.teardown(() => client.close());
  const ping = () => client.db('admin').command({ ping: 1 });
  const measured = await measure(t, mongoClient(client, names), async () => {
    await client.connect();
    await Promise.all([ping(), ping(), ping()]); // One of them finds the connection of connect().
  });
  t.match(measured, {
    system: 'mongodb',
    ...names,
    serverPool: `server-${createHash('sha256').update(`127.0.0.1:${port}`).digest('hex').slice(0, 8)}`,
    driverVersion: /^7\.\d+\.\d+$/,
    coverage: 'complete',
    supported: everything,
    snapshot: { busy: 0, waiting: 0 },
    peaks: { busy: 2, waiting: 2 },
    failures: 0,
    closed: 0,
    minimum: 0,
    maximum: 2,
  });
  t.equal(measured.snapshot.open, measured.created);
  t.equal(acquisitionsOf(measured), 4, 'with one that connect() makes');
});

t.test('mongodb: a caller that gives up does not count as waiting for ever', async (t) => {
  const { port } = await startMongoServer(t);
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?maxPoolSize=1`, { serverApi: '1' });
  t.teardown(() => client.close());
  const ping = (signal?: AbortSignal) =>
    client.db('admin').command({ ping: 1 }, { ...(signal && { signal }) });
  const measured = await measure(t, mongoClient(client, names), async () => {
    await client.connect();
    const giveUp = new AbortController();
    const first = ping();
    const second = ping(giveUp.signal);
    await aTurn();
    giveUp.abort();
    await t.rejects(second, { name: 'AbortError' });
    await first;
    await aTurn();
  });
  t.match(measured, { snapshot: { busy: 0, idle: 1, waiting: 0 }, peaks: { waiting: 1 } });
});

t.test('mongodb: a server that becomes unavailable', async (t) => {
  const server = await startMongoServer(t);
  const client = new MongoClient(`mongodb://127.0.0.1:${server.port}/?serverSelectionTimeoutMS=500`, {
    serverApi: '1',
  });
  t.teardown(() => client.close());
  const measured = await measure(t, mongoClient(client, names), async () => {
    await client.db('admin').command({ ping: 1 });
    await server.close();
    await t.rejects(client.db('admin').command({ ping: 1 }));
  });
  t.match(measured, { snapshot: { open: 0, busy: 0, idle: 0, waiting: 0 }, created: 1, closed: 1 });
});

t.test('a session reports at most sixteen pools, and none twice', async (t) => {
  const named = (pool: string) => postgresJs({ options: {} }, { ...names, pool });
  const pools = [...Array.from({ length: 20 }, (_, i) => named(`pool-${i}`)), named('pool-0')];
  const told: string[] = [];
  const report = await reportOf(t, pools, async () => {}, told);
  t.strictSame(
    report.pools.map(({ pool }) => pool),
    Array.from({ length: 16 }, (_, i) => `pool-${i}`),
  );
  t.match(told, [/^5 pools were not reported/]);
});
