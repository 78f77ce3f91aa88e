import t from 'tap';
import type { PoolReport } from '../../contract/pool-reports.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { makeReports, reportsPath } from '../support/pool-reports.js';
import { select } from '../support/rollups.js';
import { runHeartline } from '../support/run-heartline.js';
import { waitUntil } from '../support/wait-until.js';
import { install, onLinux } from './running-service.js';

const sessions = 30;
const reportsPerSession = 100;
const everyMs = 20;

/** The column of each rollup that counts reports of one pool. */
const counters = {
  pools_minute: 'intervals',
  process_pools_minute: 'intervals',
  pool_exporters_minute: 'reports',
};

type Sent = { report: PoolReport; status?: number; tries: number; isOpen: boolean };

t.test(
  'ClickHouse killed, then the service, under load: what is acknowledged is stored once',
  onLinux,
  async (t) => {
    const installation = await install(t);
    let { service } = installation;
    const environment = { HEARTLINE_DATA_DIR: installation.dataDir };
    const { code, stderr } = await runHeartline(
      ['page', 'set', 'demo', '--database-health', 'on'],
      environment,
    );
    t.equal(code, 0, stderr);

    const post = async (sent: Sent): Promise<void> => {
      sent.tries += 1;
      sent.isOpen = true;
      const answer = await fetch(`${service.url}${reportsPath}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${installation.ingestKey}` },
        body: JSON.stringify(sent.report),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined);
      sent.isOpen = false;
      if (answer !== undefined) sent.status = answer.status;
    };
    // Reports of one session are consecutive, interleaved with other sessions.
    const all = Array.from({ length: sessions }, () =>
      makeReports(Date.now(), { count: reportsPerSession, stepMs: 2_000 }),
    );
    const reports = Array.from({ length: reportsPerSession }, (_, i) => all.flatMap((own) => own[i] ?? []));
    const waiting = reports.flat();
    const sent: Sent[] = [];
    const open = new Set<Promise<void>>();
    let isRunning = true;
    const timer = setInterval(() => {
      const report = isRunning ? waiting.shift() : undefined;
      if (report === undefined) return;
      const next: Sent = { report, tries: 0, isOpen: false };
      sent.push(next);
      const answered = post(next).finally(() => open.delete(answered));
      open.add(answered);
    }, everyMs);
    t.teardown(() => clearInterval(timer));
    const accepted = () => sent.filter(({ status }) => status === 201).length;
    const untilAccepted = async (more: number) => {
      const goal = accepted() + more;
      await waitUntil(`${more} more reports were accepted`, () => accepted() >= goal, 60_000);
    };

    await waitUntil('the page takes reports', () => accepted() > 0, 60_000);
    await untilAccepted(50);
    const killed = await service.clickhousePid();
    process.kill(killed, 'SIGKILL');
    await waitUntil('another one runs', async () => (await service.clickhousePid()) !== killed);
    await untilAccepted(50);
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    const isUnanswered = ({ status, isOpen }: Sent) => status === undefined && !isOpen;
    await waitUntil('a report gets no answer', () => sent.some(isUnanswered));
    isRunning = false;
    await Promise.all(open);
    service = await installation.restart();
    isRunning = true;
    await untilAccepted(50);
    clearInterval(timer);
    await Promise.all(open);

    for (const each of sent) {
      await waitUntil('a retry is acknowledged', async () => {
        if (each.status !== 201) await post(each);
        return each.status === 201;
      });
    }
    const retried = sent.filter(({ tries }) => tries > 1).length;
    t.ok(retried > 0 && retried < sent.length, `${retried} of ${sent.length} had to be sent again`);
    await waitUntil(
      'nothing waits for ClickHouse',
      async () => {
        // The job skips blocks of the last seconds.
        await runHeartline(['jobs', 'run', 'recover-pool-reports'], environment);
        return (await waitingBlocks(service.url)) === 0;
      },
      60_000,
    );
    t.strictSame(await findWrong(service.clickhouseUrl, sent), [], 'each is stored once, in every table');
  },
);

/** Blocks of reports that may be missing in ClickHouse. */
async function waitingBlocks(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = /^heartline_delivery_batches_waiting\{store="pool-reports"\} (\d+)$/m.exec(text)?.[1];
  return Number(count ?? Number.NaN);
}

/** Reports that are not exactly once in the table of reports, and sessions with another count in a rollup. */
async function findWrong(clickhouseUrl: string, sent: readonly Sent[]): Promise<object[]> {
  const clickhouse = openClickHouse(clickhouseUrl);
  try {
    const rows = await select<{ id: string; reports: string; pools: string }>(
      clickhouse,
      `SELECT concat(toString(session), ' ', toString(sequence)) AS id, countIf(kind = 'report') AS reports,
         countIf(kind = 'pool') AS pools FROM pool_reports GROUP BY id`,
    );
    const found = new Map(rows.map(({ id, reports, pools }) => [id, `${reports} ${pools}`]));
    const wrong: object[] = sent
      .map(({ report: { session, sequence } }) => ({ session, sequence }))
      .filter(({ session, sequence }) => found.get(`${session} ${sequence}`) !== '1 1');
    if (found.size !== sent.length) wrong.push({ stored: found.size, sent: sent.length });
    for (const [table, column] of Object.entries(counters)) {
      const [sum] = await select<{ count: string }>(
        clickhouse,
        `SELECT sum(${column}) AS count FROM ${table}`,
      );
      if (Number(sum?.count) !== sent.length) wrong.push({ table, ...sum, sent: sent.length });
    }
    return wrong;
  } finally {
    await clickhouse.close();
  }
}
