import { mongoClient, mysqlPool, type PoolSource, pgPool } from '@heartline/pool-reporter';
import { MongoClient } from 'mongodb';
import mysqlPromise from 'mysql2/promise';
import pg from 'pg';
import t, { type Test } from 'tap';
import { type CheckedPool, parsePoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import { startMongoServer } from '../support/mongo-server.js';
import { startMysqlServer } from '../support/mysql-server.js';
import { makeReport } from '../support/pool-reports.js';
import { openEmptyPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

const names = { target: 'orders', pool: 'main' };

/** Ends an interval and returns its only pool as the service parses it, so it satisfies every rule. */
function attach(t: Test, source: PoolSource): () => CheckedPool {
  const attached = source.attach();
  t.teardown(() => attached.detach());
  return () => {
    const pools = attached.take();
    const [pool] = parsePoolReport(makeReport(Date.now(), { pools }), Date.now()).pools;
    if (pool === undefined || pools.length !== 1) throw new Error(`${pools.length} pools instead of one.`);
    return pool;
  };
}

function acquisitionsOf({ acquisition }: CheckedPool): number | undefined {
  return acquisition?.counts.reduce((sum, count) => sum + count);
}

/** The object without properties that a version of the driver may lack. */
function without<Driver extends object>(driver: Driver, ...hidden: (string | symbol)[]): Driver {
  return new Proxy(driver, {
    get: (target, name) => (hidden.includes(name) ? undefined : Reflect.get(target, name)),
  });
}

const aTurn = async () => {
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
};

t.test('mysql2', async (t) => {
  const server = await startMysqlServer(t);
  const openPool = (t: Test, connectionLimit: number) => {
    const pool = mysqlPromise.createPool({ host: '127.0.0.1', port: server.port, connectionLimit });
    t.teardown(() => pool.end());
    return pool;
  };

  t.test('busy and idle connections', async (t) => {
    const pool = openPool(t, 3);
    const [one, two, three] = [
      await pool.getConnection(),
      await pool.getConnection(),
      await pool.getConnection(),
    ];
    three.release();
    const measure = attach(t, mysqlPool(pool, names));
    t.match(measure(), {
      coverage: 'complete',
      snapshot: { open: 3, busy: 2, idle: 1, waiting: 0 },
      peaks: { open: 3, busy: 2, waiting: 0 },
      ...{ created: 0, closed: 0 },
    });
    one.release();
    two.destroy();
    await pool.query('SELECT 1');
    const measured = measure();
    t.match(measured, {
      coverage: 'complete',
      snapshot: { open: 2, busy: 0, idle: 2 },
      ...{ created: 0, closed: 1 },
    });
    t.equal(acquisitionsOf(measured), 1);
    server.disconnect();
    await waitUntil('the idle ones are closed', () => measure().snapshot.open === 0);
  });

  t.test('callers in the queue', async (t) => {
    const pool = openPool(t, 1);
    const held = await pool.getConnection();
    const earlier = pool.getConnection();
    const measure = attach(t, mysqlPool(pool, names));
    const later = pool.getConnection();
    await aTurn();
    t.match(measure(), {
      coverage: 'partial',
      supported: ['open', 'busy', 'idle', 'created', 'closed'],
      snapshot: { open: 1, busy: 1, idle: 0, waiting: null },
      peaks: { open: 1, busy: 1, waiting: null },
      ...{ acquisition: null, failures: null },
    });
    held.release();
    const second = await earlier;
    t.match(measure(), {
      coverage: 'partial',
      snapshot: { open: 1, busy: 1, waiting: 1 },
      peaks: { waiting: null },
      ...{ acquisition: null, failures: null },
    });
    second.release();
    (await later).release();
    const measured = measure();
    t.match(measured, { coverage: 'complete', snapshot: { waiting: 0 }, peaks: { waiting: 1 }, failures: 0 });
    t.equal(acquisitionsOf(measured), 1);
  });

  t.test('a pending connection', async (t) => {
    const pool = openPool(t, 1);
    const earlier = pool.getConnection();
    const measure = attach(t, mysqlPool(pool, names));
    t.match(measure(), { coverage: 'partial', snapshot: { open: 0, busy: 0, idle: 0, waiting: null } });
    (await earlier).release();
    t.match(measure(), { coverage: 'partial', snapshot: { open: 1, busy: 0, waiting: 0 }, created: 1 });
    t.match(measure(), { coverage: 'complete', peaks: { open: 1, busy: 0, waiting: 0 }, failures: 0 });
  });

  t.test('a pool that has ended', async (t) => {
    const pool = mysqlPromise.createPool({ host: '127.0.0.1', port: server.port, connectionLimit: 1 });
    (await pool.getConnection()).release();
    const [before, callers] = [attach(t, mysqlPool(pool, names)), pool.getConnection()];
    (await callers).release();
    server.freeze();
    await pool.end();
    const after = attach(t, mysqlPool(pool, names));
    t.match(after(), { coverage: 'complete', snapshot: { open: 1, busy: 0, idle: 1 } });
    server.disconnect(); // With a reset: what came last was not read.
    await waitUntil('it is closed', () => after().snapshot.open === 0);
    t.match(before(), { coverage: 'complete', snapshot: { open: 0, busy: 0, idle: 0 }, closed: 1 });
    t.match(attach(t, mysqlPool(pool, names))(), { coverage: 'complete', snapshot: { open: 0 } });
  });

  t.test('a driver that does not show its connections', async (t) => {
    const pool = openPool(t, 2);
    const held = await pool.getConnection();
    const measure = attach(t, mysqlPool(without(pool.pool, '_allConnections'), names));
    const unknown = {
      coverage: 'partial',
      supported: ['created'],
      snapshot: { open: null, busy: null, idle: null, waiting: null },
      peaks: { open: null, busy: null, waiting: null },
      ...{ acquisition: null, failures: null, closed: null, maximum: 2 },
    };
    (await pool.getConnection()).release();
    t.match(measure(), { ...unknown, created: 1 });
    held.release();
    t.match(measure(), { ...unknown, created: 0 });
  });
});

t.test('pg', async (t) => {
  const { databaseUrl } = await openEmptyPostgres(t);
  const openPool = (t: Test, max: number) => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max, min: 5 });
    // `end` does not wait until the server has closed the connections, and dropping the database then ends them first.
    pool.on('error', () => {});
    t.teardown(() => pool.end());
    return pool;
  };

  t.test('busy and idle clients', async (t) => {
    const pool = openPool(t, 3);
    const [one, two, three] = [await pool.connect(), await pool.connect(), await pool.connect()];
    three.release();
    const measure = attach(t, pgPool(pool, names));
    t.match(measure(), {
      coverage: 'complete',
      snapshot: { open: 3, busy: 2, idle: 1, waiting: 0 },
      peaks: { open: 3, busy: 2, waiting: 0 },
      ...{ minimum: 3, maximum: 3 },
    });
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    one.release(true);
    two.release();
    await removed;
    t.match(measure(), { coverage: 'complete', snapshot: { open: 2, busy: 0, idle: 2 }, closed: 1 });
  });

  t.test('a pending client, and callers in the queue', async (t) => {
    const pool = openPool(t, 1);
    const [made, queued] = [pool.connect(), pool.connect()];
    const measure = attach(t, pgPool(pool, names));
    t.match(measure(), {
      coverage: 'partial',
      supported: ['open', 'busy', 'idle', 'created', 'closed'],
      snapshot: { open: 0, busy: 0, idle: 0, waiting: null },
      peaks: { open: 0, busy: 0, waiting: null },
    });
    const client = await made;
    const later = pool.connect();
    await aTurn();
    t.match(measure(), {
      coverage: 'partial',
      snapshot: { open: 1, busy: 1, idle: 0, waiting: null },
      ...{ created: 1, acquisition: null, failures: null },
    });
    client.release();
    (await queued).release();
    (await later).release();
    t.match(measure(), { coverage: 'partial', snapshot: { idle: 1, waiting: 0 }, peaks: { waiting: null } });
    await pool.query('SELECT 1');
    const measured = measure();
    t.match(measured, { coverage: 'complete', peaks: { busy: 1, waiting: 0 }, failures: 0 });
    t.equal(acquisitionsOf(measured), 1);
  });

  t.test('a driver that does not show its clients', async (t) => {
    const pool = openPool(t, 2);
    const fresh = attach(t, pgPool(without(pool, '_clients'), names));
    t.match(fresh(), { coverage: 'complete', snapshot: { open: 0, busy: 0, idle: 0, waiting: 0 } });
    const held = await pool.connect();
    const measure = attach(t, pgPool(without(pool, '_clients'), names));
    await pool.query('SELECT 1');
    t.match(measure(), {
      coverage: 'partial',
      supported: ['idle', 'created', 'closed'],
      snapshot: { open: null, busy: null, idle: 1, waiting: null },
      peaks: { open: null, busy: null, waiting: null },
      created: 1,
    });
    held.release();
    t.match(measure(), { coverage: 'partial', snapshot: { open: 2, busy: 0, idle: 2, waiting: 0 } });
    t.match(measure(), { coverage: 'complete', peaks: { open: 2, busy: 0, waiting: 0 } });
  });
});

t.test('mongodb', async (t) => {
  const { port } = await startMongoServer(t);
  const openClient = (t: Test, maxPoolSize: number) => {
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?maxPoolSize=${maxPoolSize}`, {
      serverApi: '1',
    });
    t.teardown(() => client.close());
    return { client, ping: () => client.db('admin').command({ ping: 1 }) };
  };
  /** Attaches right after an event, before the server answers. */
  const attachAt = (t: Test, client: MongoClient, event: 'connectionCreated' | 'connectionCheckedOut') =>
    new Promise<() => CheckedPool>((resolve) => {
      client.once(event, () => {
        queueMicrotask(() => resolve(attach(t, mongoClient(client, names))));
      });
    });

  t.test('busy and idle connections', async (t) => {
    const { client, ping } = openClient(t, 2);
    await client.connect();
    await Promise.all([ping(), ping()]);
    const attached = attachAt(t, client, 'connectionCheckedOut');
    const pinged = ping();
    const measure = await attached;
    t.match(measure(), {
      coverage: 'complete',
      snapshot: { open: 2, busy: 1, idle: 1, waiting: 0 },
      peaks: { open: 2, busy: 1, waiting: 0 },
    });
    await pinged;
    t.match(measure(), { coverage: 'complete', snapshot: { open: 2, busy: 0, idle: 2 }, created: 0 });
    await client.close();
    t.match(measure(), { coverage: 'complete', snapshot: { open: 0, busy: 0, idle: 0 }, closed: 2 });
  });

  t.test('a pending connection, and a caller in the queue', async (t) => {
    const { client, ping } = openClient(t, 1);
    const attached = attachAt(t, client, 'connectionCreated');
    const pinged = Promise.all([ping(), ping()]);
    const measure = await attached;
    t.match(measure(), {
      coverage: 'partial',
      supported: ['open', 'busy', 'idle', 'acquisition', 'failures', 'created', 'closed'],
      snapshot: { open: 0, busy: 0, idle: 0, waiting: null },
      peaks: { open: 0, busy: 0, waiting: null },
    });
    await pinged;
    await aTurn();
    t.match(measure(), { coverage: 'partial', snapshot: { open: 1, idle: 1, waiting: 0 }, created: 1 });
    t.match(measure(), { coverage: 'complete', peaks: { open: 1, waiting: 0 } });
  });

  t.test('a driver that shows the number of connections but not which ones', async (t) => {
    const { client, ping } = openClient(t, 2);
    await client.connect();
    await Promise.all([ping(), ping()]);
    const pools: object[] = [...Reflect.get(client, 'topology').s.servers.values()].map(({ pool }) => pool);
    const servers = new Map(pools.map((pool) => ['', { pool: without(pool, 'connections', 'checkedOut') }]));
    const shown = new Proxy(client, {
      get: (target, name) => (name === 'topology' ? { s: { servers } } : Reflect.get(target, name)),
    });
    const measure = attach(t, mongoClient(shown, names));
    t.match(measure(), {
      coverage: 'partial',
      supported: ['acquisition', 'failures', 'created'],
      snapshot: { open: null, busy: null, idle: null, waiting: null },
    });
    // All earlier connections close, and another one opens.
    for (const pool of pools) Reflect.apply(Reflect.get(pool, 'clear'), pool, []);
    for (const pool of pools) Reflect.apply(Reflect.get(pool, 'ready'), pool, []);
    await ping();
    t.match(measure(), {
      coverage: 'partial',
      snapshot: { open: 1, busy: 0, idle: 1, waiting: 0 },
      ...{ peaks: { open: null }, created: 1, closed: null },
    });
    t.match(measure(), { coverage: 'complete', peaks: { open: 1, busy: 0, waiting: 0 }, closed: 0 });
  });

  t.test('a driver that does not show its pools, until a new one opens', async (t) => {
    const { client, ping } = openClient(t, 2);
    await ping();
    const measure = attach(t, mongoClient(without(client, 'topology'), names));
    await ping();
    const measured = measure();
    t.match(measured, {
      coverage: 'partial',
      supported: ['acquisition', 'failures', 'created'],
      snapshot: { open: null, busy: null, idle: null, waiting: null },
      peaks: { open: null, busy: null, waiting: null },
      closed: null,
    });
    t.equal(acquisitionsOf(measured), 1);
    await client.close();
    await client.connect();
    await ping();
    t.match(measure(), {
      coverage: 'partial',
      snapshot: { open: 1, busy: 0, idle: 1, waiting: 0 },
      peaks: { open: null, busy: null, waiting: null },
      closed: null,
    });
    t.match(measure(), { coverage: 'complete', peaks: { open: 1, busy: 0, waiting: 0 }, closed: 0 });
  });
});
