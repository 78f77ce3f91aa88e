import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seeded } from '../support/batches.js';
import { line } from '../support/report.js';
import { compareAll, type Loads } from './compare.js';
import { batchesMax, createEventLoad } from './event-load.js';
import { createFaults } from './faults.js';
import { createIncidentLoad } from './incident-load.js';
import { host, type Installation, install, makePage, slug } from './installation.js';
import { createReadLoad } from './read-load.js';
import { createReportLoad } from './report-load.js';
import { checkMemory, printBalances, printLog, printReads } from './results.js';
import { createSender, type Send } from './send.js';
import { createLogWatch } from './watch-log.js';
import { watchMemory } from './watch-memory.js';

/**
 * Puts a mixed load on the running service, with a fault every half minute. At the end everything acknowledged must be
 * stored once, memory must not have grown, and no process may have ended that the soak did not kill. Needs Linux: /proc.
 */
const faultEveryMs = 30_000;
const firstFaultMs = 15_000;
const progressEveryMs = 10_000;
/** Time between two requests of a kind, without waiting for answers. */
const everyMs = { v1: 50, v2: 100, heartbeat: 2_000, report: 250, incident: 1_600, read: 125 };
const minutesMax = Math.floor((batchesMax * everyMs.v1) / 60_000);
/** Backlogs in /metrics may be this old. */
const metricsAgeMs = 6_000;
const deliveredMsMax = 180_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
if (!(minutes > 0 && minutes <= minutesMax) || !Number.isInteger(seed)) {
  throw new Error(`--minutes must be at most ${minutesMax}, --seed a whole number.`);
}

const log = createLogWatch();
line(`seed ${seed}, ${minutes} minutes, load of the machine ${loadavg()[0]?.toFixed(1)}`);
const installation = await install(log);
try {
  await soak(installation);
} finally {
  await installation.remove();
}
for (const text of log.findings) line(`DOES NOT HOLD  ${text}`);
line(log.findings.length === 0 ? 'All holds.' : `${log.findings.length} findings; --seed ${seed}`);
process.exitCode = log.findings.length === 0 ? 0 : 1;

async function soak(installation: Installation): Promise<void> {
  const { ingestKey, readKey, incidentKey, monitorSlugs } = await makePage(installation);
  const { send, close } = createSender(installation.url);
  const loads: Loads = {
    events: createEventLoad(send, ingestKey, seeded(seed)),
    reports: createReportLoad(send, ingestKey),
    incidents: createIncidentLoad(send, incidentKey, monitorSlugs),
  };
  const reads = createReadLoad(send, { host, slug, readKey });
  const memory = watchMemory(installation);
  const endLoad = startLoad(loads, reads.read);
  const endProgress = startProgress(loads, memory.latestMb);
  await strikeUntilTheEnd(send);
  await endLoad();
  endProgress();
  memory.end();
  await untilDelivered(send);
  const balances = await compareAll(await installation.stack(), loads, log.findings);
  close();
  const how = await installation.stop();
  if (how !== 'exit code 0') log.findings.push(`SIGTERM: the service ended by ${how}`);
  const left = await installation.logEntries();
  if (left.length > 0) log.findings.push(`log: ${left.join(', ')} are left of it`);
  log.findings.push(...reads.findings());
  printBalances(balances);
  printReads(reads.counts);
  printLog(log.counts);
  checkMemory(memory.lives.values(), log.findings);
  line(`load of the machine ${loadavg()[0]?.toFixed(1)}`);
}

/** Returns a function that stops the load and waits for the last answers. */
function startLoad({ events, reports, incidents }: Loads, read: () => Promise<void>): () => Promise<void> {
  const open = new Set<Promise<void>>();
  const repeat = (work: () => Promise<void>, ms: number) =>
    setInterval(() => {
      const done = work().finally(() => open.delete(done));
      open.add(done);
    }, ms);
  const timers = [
    repeat(events.postV1, everyMs.v1),
    repeat(events.postV2, everyMs.v2),
    repeat(events.postHeartbeat, everyMs.heartbeat),
    repeat(reports.postReport, everyMs.report),
    repeat(incidents.step, everyMs.incident),
    repeat(read, everyMs.read),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(open);
  };
}

function startProgress({ events, reports, incidents }: Loads, latestMb: () => number[]): () => void {
  const startedAt = performance.now();
  const ledgers = [
    ...Object.values(events.ledgers),
    reports.ledger,
    ...Object.values(incidents.ledgers),
  ] as const;
  const timer = setInterval(() => {
    const cells = ledgers.map(({ what, entries, acknowledgedBy }) => {
      const acknowledged = entries.filter(({ answer }) => answer?.status === acknowledgedBy).length;
      return `${what} ${acknowledged}/${entries.length}`;
    });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
    line(`${seconds} s  ${cells.join(', ')}; ${latestMb().join(', ')} MB`);
  }, progressEveryMs);
  return () => clearInterval(timer);
}

async function strikeUntilTheEnd(send: Send): Promise<void> {
  const startedAt = performance.now();
  const end = startedAt + minutes * 60_000;
  const faults = createFaults({ installation, log, send, random: seeded(seed + 1) });
  for (let at = startedAt + firstFaultMs; at < end; at += faultEveryMs) {
    await sleep(Math.max(0, at - performance.now()));
    const fault = await faults.strike((kind) => line(`        ${kind}`));
    line(`        ready after ${fault.seconds.toFixed(1)} s`);
  }
  await sleep(Math.max(0, end - performance.now()));
}

/** Waits until the log and the delivery buffer are empty. */
async function untilDelivered(send: Send): Promise<void> {
  const startedAt = performance.now();
  const secondsSince = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  while (performance.now() - startedAt < deliveredMsMax) {
    await sleep(metricsAgeMs);
    const metrics = (await send({ method: 'GET', path: '/metrics' }))?.text ?? '';
    const waiting = [...metrics.matchAll(/^heartline_delivery_batches_waiting\{store="[\w-]+"\} (\d+)$/gm)];
    const isLogEmpty = /^heartline_log_bytes 0$/m.test(metrics);
    if (isLogEmpty && waiting.length === 3 && waiting.every(([, count]) => count === '0')) {
      line(`nothing waits in the log or the delivery buffer ${secondsSince()} s after the load`);
      return;
    }
  }
  log.findings.push(`delivery: events still wait ${secondsSince()} s after the load`);
}
