import { startProbes } from '../../control/monitors/index.js';
import { systemClock } from '../../lib/clock.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';

/** Work of the probes since the previous report. */
export type ProbesReport = {
  /** In ascending order. */
  lagsMs: number[];
  outcomes: Record<string, number>;
  stored: number;
  seconds: number;
  cpuSeconds: number;
  residentMegabytes: number;
};

// Runs only the probes of the service, on the stores given as arguments. Any message requests a report.
const [databaseUrl = '', clickhouseUrl = ''] = process.argv.slice(2);
const report = (fields: object, text: string): void => {
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
};
let lagsMs: number[] = [];
let outcomes: Record<string, number> = {};
let stored = 0;
let since = { at: performance.now(), cpu: process.cpuUsage() };

const sql = openPostgres(databaseUrl);
const clickhouse = openClickHouse(clickhouseUrl);
const probes = startProbes({
  ...{ sql, clickhouse, clock: systemClock, log: { debug() {}, info() {}, warn: report, error: report } },
  secretKey: 'a key that only this benchmark uses',
  allowPrivateAddresses: true,
  metrics: {
    began: (lagSeconds) => void lagsMs.push(lagSeconds * 1000),
    ended(outcome) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    },
    stored(count) {
      stored += count;
    },
    insertFailed: () => report({}, 'An insert failed.'),
    dropped: (count) => report({ count }, 'Checks were dropped.'),
  },
});

process.on('message', () => {
  const { user, system } = process.cpuUsage(since.cpu);
  const answer: ProbesReport = {
    lagsMs: lagsMs.sort((a, b) => a - b),
    outcomes,
    stored,
    seconds: (performance.now() - since.at) / 1000,
    cpuSeconds: (user + system) / 1e6,
    residentMegabytes: process.memoryUsage.rss() / 1e6,
  };
  process.send?.(answer);
  [lagsMs, outcomes, stored, since] = [[], {}, 0, { at: performance.now(), cpu: process.cpuUsage() }];
});
process.on('disconnect', async () => {
  await probes.stop();
  await Promise.all([sql.end(), clickhouse.close()]);
  process.exit();
});
