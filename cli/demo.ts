import { setTimeout as sleep } from 'node:timers/promises';
import { loadLedger } from '../control/incidents/index.js';
import { pageOrigin } from '../lib/page-origin.js';
import type { Config } from '../service/config.js';
import { jobs } from '../service/jobs/jobs.js';
import { runLeased } from '../service/jobs/lease.js';
import type { Command } from './command.js';
import type { CommandContext } from './context.js';
import type { DemoDeps } from './demo/demo-deps.js';
import { type FilledPage, fillPage, findOpenChapter, historyDays } from './demo/fill.js';
import { runLive, startHeartbeats } from './demo/live.js';
import { demoMonitors } from './demo/monitors.js';
import { writeChecks } from './demo/write-checks.js';
import { formatFields } from './output.js';
import { parseOptions, wholeNumber } from './parse-options.js';
import { createProgressBar } from './progress-bar.js';
import { UsageError } from './usage-error.js';

export const demo: Command = {
  name: 'demo',
  summary: 'fill a page with a believable history, and send it live traffic',
  help: `heartline demo [options]

Fills the page "demo", which npm start has made, with ${historyDays} days of history: monitors with their checks, past incidents
and an open one, maintenance, in three languages. Then it posts events to the running service every two seconds and keeps
the monitors checked, until Ctrl-C. It asks nobody but that service for anything. Again, it changes nothing of what is
there and goes on from where it ended; resolve the open incident, and the monitor that is down comes back.

  --page SLUG   another page, without monitors of its own
  --once        fill only
  --minutes N   end after so many minutes
  --url URL     where the service is reached, when HOST, PORT and BASE_URL do not say so
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string', default: 'demo' },
      once: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      url: { type: 'string' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    if (values.once && values.minutes !== undefined) {
      throw new UsageError('--once and --minutes exclude each other.');
    }
    const minutes = values.minutes === undefined ? undefined : wholeNumber(values.minutes, '--minutes');
    const serviceUrl = readServiceUrl(values.url, context.config);
    if (!values.once) await checkService(serviceUrl);
    const { secretKey, ...stores } = await context.openStores();
    if (secretKey === undefined) {
      throw new Error('HEARTLINE_SECRET_KEY must be set to the one that the service has.');
    }
    const deps = { ...stores, secretKey, clock: context.clock };
    const filled = await fill(context, deps, values.page);
    context.print(await describe(deps, filled, serviceUrl));
    if (!values.once) await goLive(context, deps, filled, { serviceUrl, minutes });
  },
};

/** For a job that the service runs; one that never ends, as after a crash, is left to the service. */
const waitMsMax = 60_000;

/** @throws UsageError for what is no address. */
function readServiceUrl(given: string | undefined, { baseUrl, host, port }: Config): string {
  if (given === undefined && baseUrl !== undefined) return baseUrl.origin;
  const isAny = host === '0.0.0.0' || host === '::';
  const text = given ?? `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new UsageError(`--url must be an address such as http://127.0.0.1:8080, not "${text}".`);
  }
  return new URL(text).origin;
}

/** Before anything is written: without the service there is no page to look at. */
async function checkService(serviceUrl: string): Promise<void> {
  const isThere = await fetch(`${serviceUrl}/healthz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isThere) {
    throw new Error(
      `Heartline does not answer at ${serviceUrl}; start it with npm start, or say with --url where it is.`,
    );
  }
}

async function fill(context: CommandContext, deps: DemoDeps, slug: string): Promise<FilledPage> {
  const began = performance.now();
  const bar = createProgressBar(process.stderr);
  const filled = await fillPage(deps, slug);
  const total = historyDays * 24 * 60 * demoMonitors.length;
  const checks = await writeChecks(deps, filled, (written) =>
    bar.show(written / total, `${written} checks written`),
  ).finally(() => bar.clear());
  bar.show(undefined, 'Uptime and response times are being computed.');
  await computePoints(context, deps).finally(() => bar.clear());
  await startHeartbeats(deps, slug);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const done =
    checks >= total / 2
      ? `was filled with ${historyDays} days of history`
      : 'was filled before, and is up to date';
  context.print(`The page "${slug}" ${done}: ${checks} checks were written in ${seconds} s.\n`);
  return filled;
}

/** When the service is at it right now, after that: it may have begun before the checks were there. */
async function computePoints({ log }: CommandContext, deps: DemoDeps): Promise<void> {
  const job = jobs.find(({ name }) => name === 'compute-points');
  if (job === undefined) return;
  const jobDeps = { ...deps, clickhouseOf: () => deps.clickhouse, log };
  const until = performance.now() + waitMsMax;
  while (!(await runLeased(job, jobDeps, deps.clock.now())) && performance.now() < until) {
    await sleep(500);
  }
}

async function describe(deps: DemoDeps, { page, filledAt }: FilledPage, serviceUrl: string): Promise<string> {
  const origin = pageOrigin(new URL(serviceUrl), page.hostname);
  const addresses = formatFields([
    ['  status page', `${origin}/`],
    ['  its figures', `${origin}/api/public/${page.slug}/summary`],
    ['  its incidents', `${origin}/api/public/${page.slug}/incidents`],
  ]);
  const open = findOpenChapter(await loadLedger(deps, page.id), filledAt);
  if (open === undefined || open.resolvedAt !== null) return `\n${addresses}`;
  return `\n${addresses}\nEnd the open incident, and see it on the page:\n  npx heartline incident resolve ${open.id}\n`;
}

async function goLive(
  { print }: CommandContext,
  deps: DemoDeps,
  filled: FilledPage,
  { serviceUrl, minutes }: { serviceUrl: string; minutes: number | undefined },
): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = minutes === undefined ? undefined : setTimeout(end, minutes * 60_000);
  process.on('SIGINT', end).on('SIGTERM', end);
  const bar = createProgressBar(process.stderr);
  print(`\nEvents go to ${serviceUrl} now${minutes === undefined ? '; end it with Ctrl-C' : ''}.\n`);
  try {
    const { accepted, checks } = await runLive(deps, filled, {
      ...{ serviceUrl, signal: ending.signal },
      onProgress: ({ accepted, checks, failedRequests }) =>
        bar.show(undefined, `${accepted} events, ${checks} checks, ${failedRequests} failed requests`),
    });
    bar.clear();
    print(
      `${accepted} events and ${checks} checks were sent. Without more of them the page soon says that it has no recent ones.\n`,
    );
  } finally {
    bar.clear();
    clearTimeout(timer);
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
