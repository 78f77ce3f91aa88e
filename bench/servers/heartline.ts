import { createKey } from '../../control/keys/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { startService } from '../../service/service.js';
import { openPostgres } from '../../sql/open-postgres.js';

// Target (c): the service itself, on the stores given as arguments; it acknowledges after the insert.
const [databaseUrl = '', clickhouseUrl = '', smtpUrl] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn: report, error: report };
function report(fields: object, text: string): void {
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
}

const service = await startService({
  databaseUrl,
  clickhouseUrl,
  ...(smtpUrl !== undefined && { smtpUrl }),
  secretKey: 'a key that only this benchmark uses',
  host: '127.0.0.1',
  port: 0,
  clock: systemClock,
  log: silent,
});
const sql = openPostgres(databaseUrl, { max: 1 });
const slug = `bench-${process.pid}`;
const { id: pageId } = await createPage({ sql, clock: systemClock }, { slug, hostname: `${slug}.localhost` });
const { key } = await createKey({ sql, clock: systemClock }, { pageId, scope: 'ingest' });
await sql.end();
process.send?.({ port: Number(new URL(service.url).port), key });
process.on('disconnect', () => void service.close().then(() => process.exit()));
