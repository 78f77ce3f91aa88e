import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { createEgress } from '../../lib/outbound/egress.js';
import { startService } from '../../service/service.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { benchSecretKey, type HeartlineOptions, type HeartlineReady } from '../support/heartline.js';

// Targets (c) and (d): the service itself, with the options that startHeartline() gives as JSON.
const options = JSON.parse(process.argv[2] ?? '') as HeartlineOptions;
const silent = { debug() {}, info() {}, warn: report, error: report };
function report(fields: object, text: string): void {
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
}

const service = await startService({
  ...options,
  secretKey: benchSecretKey,
  // The receivers of benchmarks are on this machine.
  allowPrivateAddresses: true,
  readerEgress: createEgress({ allowPrivateAddresses: true }),
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  log: silent,
});
const sql = openPostgres(options.databaseUrl, { max: 1 });
const slug = `bench-${process.pid}`;
const { id: pageId } = await createPage(
  { sql, clock: systemClock, by: cliActor('bench') },
  { slug, hostname: `${slug}.localhost` },
);
const { key } = await createKey(
  { sql, clock: systemClock, by: cliActor('bench') },
  { pageId, scope: 'ingest' },
);
await sql.end();
const { url, otlpGrpcPort } = service;
const ready: HeartlineReady = { port: Number(new URL(url).port), otlpGrpcPort, key, pageId };
process.send?.(ready);
process.on('disconnect', () => void service.close().then(() => process.exit()));
