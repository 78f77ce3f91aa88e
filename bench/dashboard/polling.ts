import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import type { Heartline } from '../support/heartline.js';
import { processorSeconds } from '../support/processor-time.js';
import { line } from '../support/report.js';
import { childrenOf } from '../support/service-process.js';
import { openTab, openUntilDrawn, type State } from './visitor.js';

const dashboards = 10;
const secondsUsual = 60;
/** The first reads fill caches; polling begins after them. */
const settleMs = 5_000;
const eventsEveryMs = 2_000;

type Shares = { service: number; clickhouse: number };
type Polling = {
  browser: Browser;
  heartline: Heartline;
  url: string;
  slug: string;
  state: State;
  seconds?: number;
};

/** Screens and ranges that ten people may leave open. */
const kept: readonly { name: string; path: string }[] = [
  { name: 'overview, 6 hours', path: '' },
  { name: 'overview, 1 hour', path: '?from=now-1h&to=now' },
  { name: 'traffic, 6 hours', path: '/traffic' },
  { name: 'reporters', path: '/reporters' },
];

/**
 * Measures what ten open dashboards that poll cost, in parts of a core: processor time of the service and of ClickHouse
 * over a minute, less a minute without any dashboard. Events arrive all the time, so that answers change.
 */
export async function measurePolling(polling: Polling): Promise<void> {
  const { heartline, seconds = secondsUsual } = polling;
  const [clickhousePid] = await childrenOf(process.pid, 'clickhouse');
  const ending = new AbortController();
  const sending = sendEvents(heartline, polling.url, ending.signal);
  line(
    `\n${dashboards} dashboards open and polling for ${seconds} s, percent of a core beyond that of no dashboard`,
  );
  const idle = await measure(heartline, clickhousePid, seconds);
  line(
    `  ${'no dashboard, in all'.padEnd(24)} service ${percent(idle.service)}  ClickHouse ${percent(idle.clickhouse)}`,
  );
  for (const { name, path } of kept) {
    const tabs = await openDashboards(polling, path);
    await sleep(settleMs);
    const before = tabs.requests();
    const { service, clickhouse } = await measure(heartline, clickhousePid, seconds);
    const requests = (tabs.requests() - before) / seconds;
    await tabs.close();
    line(
      `  ${name.padEnd(24)} service ${percent(service - idle.service)}  ClickHouse ${percent(clickhouse - idle.clickhouse)}  ${requests.toFixed(1)} requests/s`,
    );
  }
  ending.abort();
  await sending;
}

async function openDashboards({ browser, url, slug, state }: Polling, path: string) {
  let requests = 0;
  const tabs: BrowserContext[] = [];
  for (let tab = 0; tab < dashboards; tab += 1) {
    const { context, page } = await openTab(browser, url, state);
    page.on('request', () => {
      requests += 1;
    });
    await openUntilDrawn(page, `/manage/pages/${slug}${path}`);
    tabs.push(context);
  }
  return {
    requests: () => requests,
    close: async () => {
      for (const context of tabs) await context.close();
    },
  };
}

async function measure(
  { process: child }: Heartline,
  clickhousePid: number | undefined,
  seconds: number,
): Promise<Shares> {
  const read = async (pid: number | undefined) => (pid === undefined ? Number.NaN : processorSeconds(pid));
  const before = { service: await read(child.pid), clickhouse: await read(clickhousePid) };
  await sleep(seconds * 1000);
  return {
    service: ((await read(child.pid)) - before.service) / seconds,
    clickhouse: ((await read(clickhousePid)) - before.clickhouse) / seconds,
  };
}

/** Sends a small batch every two seconds, as one service would. */
async function sendEvents({ key }: Heartline, url: string, signal: AbortSignal): Promise<void> {
  const events = Array.from({ length: 40 }, (_, i) => ({
    ...{
      service: `service-${i % 20}`,
      endpoint: `/api/v1/resource-${i}/:id`,
      status: i === 7 ? 500 : 200,
      ms: 20 + i,
    },
  }));
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  while (!signal.aborted) {
    const sent = { method: 'POST', headers, body: JSON.stringify({ events }) };
    // The service may end first.
    await fetch(`${url}/api/v1/events`, sent).catch(() => {});
    await sleep(eventsEveryMs, undefined, { signal }).catch(() => {});
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1).padStart(5)} %`;
}
