import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadLedger } from '../../control/incidents/index.js';
import { createPage, findPage } from '../../control/pages/index.js';
import { needsSetUp } from '../../control/people/index.js';
import { minuteMs } from '../../lib/times.js';
import { pageOrigin } from '../../lib/web-address.js';
import { jobs } from '../../service/jobs/jobs.js';
import { runLeased } from '../../service/jobs/lease.js';
import type { CommandContext, OpenStores } from '../core/context.js';
import { formatFields } from '../core/output.js';
import { createProgressBar } from '../core/progress-bar.js';
import { type DemoDeps, historyDays, mailPort, ownPage } from './extent.js';
import { type FilledPage, fillPage, findOpenChapter, loadTimes } from './fill.js';
import { isServiceAt, runLive, startHeartbeats, writeDatabases } from './live.js';
import { startMailSink } from './mail-sink.js';
import { demoMonitors } from './monitors.js';
import { writePastTraffic } from './traffic/past-traffic.js';
import { writeReleases } from './traffic/releases.js';
import { writeAlerting } from './write-alerting.js';
import { writeAudience } from './write-audience.js';
import { writeChecks } from './write-checks.js';
import { writeSettings } from './write-settings.js';

type Input = {
  page?: string | undefined;
  once?: boolean | undefined;
  minutes?: number | undefined;
  url?: string | undefined;
};

/** Fills the page, and sends it live traffic until it is stopped. */
export async function runDemo(context: CommandContext, { page, once, minutes, url }: Input): Promise<void> {
  const serviceUrl = url ?? (await context.serviceUrl());
  if (!once) await checkService(context, serviceUrl);
  const stores = await context.openStores();
  if (page === undefined) await makeOwnPage(context, stores);
  const filled = await fill(context, stores, page ?? ownPage.slug);
  context.print(await describe(context, stores, filled, serviceUrl));
  if (!once) await goLive(context, stores, filled, { serviceUrl, minutes });
}

/** Creates the page of the demo, unless an earlier run did. */
async function makeOwnPage({ print }: CommandContext, deps: OpenStores): Promise<void> {
  if ((await findPage(deps, { slug: ownPage.slug })) !== undefined) return;
  await createPage(deps, ownPage);
  print(`The page "${ownPage.slug}" has been created for the demo; your own pages stay as they are.\n`);
}

/** Time to wait for a job that the service is running. The service makes up for a longer one, as after a crash. */
const waitMsMax = minuteMs;

/** Checks before anything is written: without the service there is no page to look at. */
async function checkService({ commandPrefix }: CommandContext, serviceUrl: string): Promise<void> {
  if (!(await isServiceAt(serviceUrl))) {
    throw new Error(
      `Heartline does not answer at ${serviceUrl}; start it with ${commandPrefix} serve, or give its address with --url.`,
    );
  }
}

async function fill(context: CommandContext, deps: OpenStores, slug: string): Promise<FilledPage> {
  const began = performance.now();
  const bar = createProgressBar();
  const filled = await fillPage(deps, slug);
  const total = historyDays * 24 * 60 * demoMonitors.length;
  const checks = await writeChecks(deps, filled, (written) =>
    bar.show(written / total, `${written} checks written`),
  ).finally(() => bar.clear());
  await writeReleases(deps, filled, filled);
  const requests = await writePastTraffic(deps, filled, await loadTimes(deps, filled), (share) =>
    bar.show(share, 'Writing events.'),
  ).finally(() => bar.clear());
  await writeDatabases(deps, filled, (share) =>
    bar.show(share, 'Writing reports of connection pools.'),
  ).finally(() => bar.clear());
  bar.show(undefined, 'Computing uptime and response times.');
  await computePoints(deps).finally(() => bar.clear());
  await startHeartbeats(deps, filled.page.id);
  await writeSettings(deps, filled);
  await writeAudience(deps, filled);
  await writeAlerting(deps, filled, await loadTimes(deps, filled));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const done =
    checks >= total / 2
      ? `was filled with ${historyDays} days of history`
      : 'was filled before and is up to date';
  context.print(
    `The page "${slug}" ${done}: ${checks} checks and ${requests} requests were written in ${seconds} s.\n`,
  );
  return filled;
}

/** Waits for a run by the service to end, and runs the job after it: that run may have begun before the checks existed. */
async function computePoints(deps: OpenStores): Promise<void> {
  const job = jobs.find(({ name }) => name === 'compute-points');
  if (job === undefined) return;
  const jobDeps = { ...deps, clickhouseOf: () => deps.clickhouse };
  const until = performance.now() + waitMsMax;
  while (!(await runLeased(job, jobDeps, deps.clock.now())) && performance.now() < until) {
    await sleep(500);
  }
}

async function describe(
  { commandPrefix }: CommandContext,
  deps: DemoDeps,
  { page, filledAt }: FilledPage,
  serviceUrl: string,
): Promise<string> {
  const origin = pageOrigin(new URL(serviceUrl), page.hostname);
  const addresses = formatFields([
    ['  status page', `${origin}/`],
    ['  dashboard', `${serviceUrl}/manage/pages/${page.slug}`],
    ['  its figures', `${origin}/api/public/${page.slug}/summary`],
    ['  its incidents', `${origin}/api/public/${page.slug}/incidents`],
  ]);
  const open = findOpenChapter(await loadLedger(deps, page.id), filledAt);
  const account = (await needsSetUp(deps))
    ? '\nThe dashboard needs an account: open the link that the service printed at its start.\n'
    : '';
  if (open === undefined || open.resolvedAt !== null) return `\n${addresses}${account}`;
  return `\n${addresses}${account}\nResolve the open incident, and watch the page:\n  ${commandPrefix} incident resolve ${open.id}\n`;
}

async function goLive(
  context: CommandContext,
  deps: DemoDeps,
  filled: FilledPage,
  { serviceUrl, minutes }: { serviceUrl: string; minutes: number | undefined },
): Promise<void> {
  const { print, commandPrefix } = context;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const timer = minutes === undefined ? undefined : setTimeout(end, minutes * minuteMs);
  process.on('SIGINT', end).on('SIGTERM', end);
  const bar = createProgressBar();
  const mails = await keepMails(context, (text) => {
    bar.clear();
    print(text);
  });
  print(`\nSending events to ${serviceUrl}${minutes === undefined ? '; stop with Ctrl-C' : ''}.\n`);
  try {
    const { accepted, checks, serviceEnded } = await runLive(deps, filled, {
      ...{ serviceUrl, signal: ending.signal },
      onProgress: ({ accepted, checks, failedRequests }) =>
        bar.show(undefined, `${accepted} events, ${checks} checks, ${failedRequests} failed requests`),
    });
    bar.clear();
    const { page } = filled;
    const sent = `${accepted} events and ${checks} checks were sent.`;
    if (serviceEnded) {
      const again = `${commandPrefix} demo${page.slug === ownPage.slug ? '' : ` --page ${page.slug}`}`;
      throw new Error(
        `The service at ${serviceUrl} has ended, and the demo with it; ${sent} Start the service again, then: ${again}`,
      );
    }
    print(`${sent} The page soon says that it has no recent ones.\n`);
  } finally {
    bar.clear();
    clearTimeout(timer);
    process.off('SIGINT', end).off('SIGTERM', end);
    await mails?.stop();
  }
}

/** Keeps what the service sends, and says where; a service that sends elsewhere is not touched. */
async function keepMails({ config, clock }: CommandContext, say: (text: string) => void) {
  const folder = join(config.dataDir, 'demo-mails');
  const mails = await startMailSink({
    ...{ port: mailPort, folder, clock },
    onMail: ({ to, file }) => say(`A mail to ${to}: ${file}\n`),
  });
  say(
    mails === undefined
      ? `\nPort ${mailPort} is taken, so this demo keeps no mails.\n`
      : `\nMails are kept in ${folder} and not delivered, when the service is started with\nHEARTLINE_SMTP_URL=${mails.url}\n`,
  );
  return mails;
}
