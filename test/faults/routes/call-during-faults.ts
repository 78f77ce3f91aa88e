import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { summaryLimits } from '../../../contract/public/summary.js';
import { migrate } from '../../../sql/migrate.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { captureLog } from '../../support/capture-log.js';
import { startTestClickHouse, startTestPostgres } from '../../support/embedded-stores.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { type Stores, startServiceOn, unansweredSmtp, withoutJobs } from '../../support/service.js';
import { silentLog } from '../../support/silent-log.js';
import { openTcpGate, type TcpGate } from '../../support/tcp-gate.js';
import { isThirdTier } from '../../support/tiers.js';
import { waitUntil } from '../../support/wait-until.js';
import { type Asked, createCaller, judge, judgeUsual, nameOf, type Outcome } from './call.js';
import type { Memory } from './example.js';
import { examples } from './examples.js';
import { type FaultReport, writeSummary, writeTable } from './report.js';
import { makeSite } from './site.js';
import type { Store, StoreFault } from './store-faults.js';

/** How long the routes may take to answer as usual after a fault; the embedded stores restart in a second or two. */
const backSecondsMax = 30;
const pollMs = 300;

/**
 * Calls every route before, during and after each fault, on a page that memory knows and on one that it does not, all at
 * once. Asserts that every answer comes in time and is as it must be, that the service recovers, and that no write is
 * lost or repeated. The second tier takes the first fault alone. Prints a line for each fault; the file that FAULT_TABLE names gets them as well, and the table of all
 * answers.
 */
export async function callDuringFaults(
  t: Test,
  makeFaults: (gates: Record<Store, TcpGate>) => readonly StoreFault[],
): Promise<void> {
  const stores = await startStores(t);
  const clock = makeMovingClock();
  const gates = {
    PostgreSQL: await openTcpGate(t, stores.databaseUrl),
    ClickHouse: await openTcpGate(t, stores.clickhouseUrl),
  };
  const { log, text } = captureLog();
  const api = await startServiceOn(t, stores, {
    ...{ log, clock, roles: withoutJobs, trustedProxies: ['127.0.0.1'], smtpUrl: unansweredSmtp },
    ...{ databaseUrl: gates.PostgreSQL.url, clickhouseUrl: gates.ClickHouse.url },
  });
  const call = createCaller(api.url, clock.now);
  const callAll: CallAll = (asked, fault) => Promise.all(asked.map((one) => call(one, fault)));
  const siteOf = async (memory: Memory, slug: string) =>
    listAsked(await makeSite({ ...stores, clock }, slug), memory);
  const ageMemory = () => clock.advance((summaryLimits.freshSeconds + 1) * 1_000);
  const reports: FaultReport[] = [];

  const warm = await siteOf('warm', 'warm');
  const faults = makeFaults(gates);
  for (const [number, fault] of (isThirdTier ? faults : faults.slice(0, 1)).entries()) {
    await t.test(fault.name, async (t) => {
      // After an outage the keys in memory are dropped once changes can be followed again.
      await waitUntil('changes of keys are followed', () => followsKeys(text()));
      // A new key is in memory when it is used for the second time: the cache may still have to learn of it before.
      await untilUsual(t, callAll, warm);
      await untilUsual(t, callAll, warm);
      const cold = await siteOf('cold', `cold-${number}`);
      ageMemory();
      await fault.begin();
      const asked = [callAll(warm, fault), callAll(cold, fault)] as const;
      const [ofWarm, ofCold] = await Promise.all(asked).finally(fault.end);
      ageMemory();
      // A route that answered as usual on the new page needs no further proof.
      const refused = ofCold.filter((outcome) => judgeUsual(outcome) !== undefined);
      const backSeconds = await untilUsual(t, callAll, [...warm, ...refused]);
      const outcomes = [...ofWarm, ...ofCold];
      reports.push({ fault: fault.name, outcomes, backSeconds });
      t.strictSame(findWrong(fault, outcomes), [], 'every route answers in time, and as it must');
    });
  }
  await t.test('what was refused is carried out once at most, and what was accepted, once', async (t) => {
    const outcomes = reports.flatMap((report) => report.outcomes);
    let wrong: string[] = [];
    const isRight = async () => {
      wrong = await findMiscounted(stores, outcomes);
      return wrong.length === 0;
    };
    // Reports and buffered batches follow to ClickHouse.
    await waitUntil('all writes are counted', isRight).catch(() => {});
    t.strictSame(wrong, []);
  });

  for (const line of writeSummary(reports).trimEnd().split('\n')) t.comment(line);
  const file = process.env['FAULT_TABLE'];
  if (file !== undefined) await appendFile(file, `${writeSummary(reports)}\n${writeTable(reports)}\n`);
}

function followsKeys(log: string): boolean {
  return (
    log.lastIndexOf('Changes of keys are followed again') >=
    log.lastIndexOf('Changes of keys cannot be followed')
  );
}

type CallAll = (asked: readonly Asked[], fault?: StoreFault) => Promise<Outcome[]>;

/** Calls until every request is answered as usual, and returns the seconds that this takes. */
async function untilUsual(t: Test, callAll: CallAll, asked: readonly Asked[]): Promise<number> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  let waiting = asked;
  for (;;) {
    const outcomes = await callAll(waiting);
    const unusual = outcomes.filter((outcome) => judgeUsual(outcome) !== undefined);
    if (unusual.length === 0) return seconds();
    if (seconds() > backSecondsMax) {
      t.strictSame(
        unusual.flatMap((outcome) => judgeUsual(outcome) ?? []),
        [],
        'every route answers as usual',
      );
      return seconds();
    }
    waiting = unusual;
    await sleep(pollMs);
  }
}

/** Stores of this test alone, which it can suspend and kill. */
async function startStores(t: Test): Promise<Stores> {
  const databaseUrl = await startTestPostgres(t);
  const clickhouseUrl = await startTestClickHouse(t);
  const [sql, clickhouse] = [openPostgres(databaseUrl), openClickHouse(clickhouseUrl)];
  t.teardown(() => Promise.all([sql.end({ timeout: 5 }), clickhouse.close()]));
  await migrate({ sql, clickhouse, log: silentLog });
  return { databaseUrl, clickhouseUrl, sql, clickhouse };
}

function listAsked(site: Asked['site'], memory: Asked['memory']): Asked[] {
  return Object.entries(examples).flatMap(([route, each]) =>
    each.map((example) => ({ route, example, site, memory })),
  );
}

function findWrong(fault: StoreFault, outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome) =>
    judge(fault, outcome).map(
      (wrong) => `${nameOf(outcome.route, outcome.example)}, ${outcome.memory}: ${wrong}`,
    ),
  );
}

async function findMiscounted(stores: Stores, outcomes: readonly Outcome[]): Promise<string[]> {
  const found = outcomes.map(async ({ route, example, memory, call, answer }) => {
    const times = await example.applied?.(stores, call);
    if (times === undefined) return [];
    const isRight = answer?.status === example.usual ? times === 1 : times <= 1;
    return isRight ? [] : [`${route}, ${memory}, ${call.site.slug}: ${answer?.status}, ${times} times`];
  });
  return (await Promise.all(found)).flat();
}
