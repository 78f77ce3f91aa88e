import { hostname } from 'node:os';
import { pgPool, startPoolReporter } from '@heartline/pool-reporter';
import { createReporter } from '@heartline/reporter';
import { heartline } from '@heartline/reporter/fastify';
import Fastify from 'fastify';
import pg from 'pg';

const { HEARTLINE_URL, HEARTLINE_KEY, DATABASE_URL, PORT = '3000' } = process.env;
const url = HEARTLINE_URL;
const key = HEARTLINE_KEY;

const app = Fastify();
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

const reporter = createReporter({
  ...{ url, key },
  reporter: { reporterId: `stock-${hostname()}`, englishName: 'Stock', expectedEverySeconds: 30 },
});
const poolReporter = startPoolReporter({
  ...{ url, key },
  ...{ service: 'stock', environment: 'production', revision: '1.0.0' },
  pools: [pgPool(pool, { target: 'stock', pool: 'main' })],
  onError: (error) => console.warn(error.message),
});

app.register(heartline(reporter)); // before the routes

app.get('/items/:item', async (request) => {
  const { rows } = await pool.query('SELECT $1::text AS item, 7 AS pieces', [request.params.item]);
  return rows[0];
});

console.log(await app.listen({ port: Number(PORT) }));

process.once('SIGTERM', async () => {
  await app.close(); // answers the last requests
  await Promise.all([reporter.stop(), poolReporter.stop()]);
  await pool.end();
});
