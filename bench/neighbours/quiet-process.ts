import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBatch } from '../support/batches.js';
import { createAsk, type Question, type Told } from './ask.js';
import type { Tenant } from './tenants.js';

/** What the quiet tenant does in `seconds`; the answer is a Heard. */
export type QuietJob = { url: string; quiet: Tenant; seconds: number };

export type Kind = 'events' | 'pages' | 'ready';
/** Latencies in milliseconds of all requests of a kind, and how many of them failed, by status; 0 is no answer. */
export type Heard = Record<Kind, { ms: number[]; failed: Record<number, number> }>;

const eventsPerBatch = 10;
/** One batch in this many has a name that the page has not used yet, so that it needs PostgreSQL. */
const batchesPerNewName = 20;
const everyMs: Record<Kind, number> = { events: 50, pages: 40, ready: 1_000 };
const succeeded: Record<Kind, readonly number[]> = { events: [202], pages: [200], ready: [200] };

let batches = 0;
let pages = 0;

function next(kind: Kind, { slug, host, ingestKey }: Tenant): Question {
  if (kind === 'ready') return { path: '/readyz' };
  if (kind === 'pages') {
    const paths = [
      '/',
      `/api/public/${slug}/summary?include=response-time`,
      '/',
      `/api/public/${slug}/incidents`,
      '/history',
    ];
    return { path: paths[pages++ % paths.length] ?? '/', host, headers: { 'accept-encoding': 'br' } };
  }
  const { events } = JSON.parse(makeBatch(eventsPerBatch, batches, Date.now())) as { events: object[] };
  const isNew = batches++ % batchesPerNewName === 0;
  const named = { endpoint: `/new/${process.pid}/${batches}`, status: 200, service: 'checkout' };
  const body = { events: isNew ? [...events.slice(1), named] : events };
  return { method: 'POST', path: '/api/v1/events', key: ingestKey, body };
}

/**
 * Sends each kind at its fixed rate without waiting for answers: a request that the service keeps waiting does not delay
 * the next one.
 */
async function keepQuiet({ url, quiet, seconds }: QuietJob): Promise<Heard> {
  const agent = new Agent({ keepAlive: true });
  const ask = createAsk(url, agent);
  const send = async (kind: Kind) => {
    const open: Promise<Told>[] = [];
    const startedAt = performance.now();
    while (performance.now() - startedAt < seconds * 1000) {
      open.push(ask(next(kind, quiet)));
      await sleep(Math.max(0, startedAt + open.length * everyMs[kind] - performance.now()));
    }
    const answers = await Promise.all(open);
    const failed: Record<number, number> = {};
    for (const { status } of answers)
      if (!succeeded[kind].includes(status)) failed[status] = (failed[status] ?? 0) + 1;
    return { ms: answers.map(({ ms }) => ms), failed };
  };
  const [events, pageReads, ready] = await Promise.all([send('events'), send('pages'), send('ready')]);
  agent.destroy();
  return { events, pages: pageReads, ready };
}

process.on('message', async (job: QuietJob) => process.send?.(await keepQuiet(job)));
process.on('disconnect', () => process.exit());
