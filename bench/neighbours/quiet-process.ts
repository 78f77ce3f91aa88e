import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBatch } from '../support/batches.js';
import { createAsk, type Question, type Told } from './ask.js';
import { startQuietReceiver } from './quiet-receiver.js';
import type { QuietTenant } from './tenants.js';

/** Has the quiet tenant work for `seconds`, in these kinds; the answer is a Heard. */
export type QuietJob = {
  url: string;
  quiet: QuietTenant;
  kinds: readonly Kind[];
  seconds: number;
  /** Where its receiver listens. */
  port: number;
};

/** `webhooks` are incidents and `messages` those to the team, until they arrive. */
export type Kind = 'events' | 'pages' | 'ready' | 'webhooks' | 'messages';
/** Latencies in milliseconds of all requests of a kind, and how many of them failed, by status; 0 is no answer. */
export type HeardKind = { ms: number[]; failed: Record<number, number> };
/** Kinds that were not asked for have no requests. */
export type Heard = Record<Kind, HeardKind>;

const eventsPerBatch = 10;
/** One batch in this many has a name that the page has not used yet, so that it needs PostgreSQL. */
const batchesPerNewName = 20;
const everyMs: Record<Kind, number> = { events: 50, pages: 40, ready: 1_000, webhooks: 500, messages: 500 };
const succeeded: Record<Kind, number> = { events: 202, pages: 200, ready: 200, webhooks: 201, messages: 202 };

let batches = 0;
let pages = 0;
let incidents = 0;
let receiver: ReturnType<typeof startQuietReceiver> | undefined;

function next(kind: Kind, { slug, host, ingestKey, ...quiet }: QuietTenant): Question {
  if (kind === 'webhooks') {
    const key = quiet.incidentKeys[incidents++ % quiet.incidentKeys.length];
    const at = new Date().toISOString();
    // It has ended already, because a page has a bounded number of open ones.
    const body = { title: `Quiet ${incidents}`, summary: 'It is over.', startedAt: at, resolvedAt: at };
    return { method: 'POST', path: '/api/v1/incidents', key, body };
  }
  if (kind === 'messages') {
    const path = `/api/v1/pages/${slug}/channels/${quiet.channelId}/test`;
    return { method: 'POST', path, key: quiet.manageKey };
  }
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
async function keepQuiet({ url, quiet, kinds, seconds, port }: QuietJob): Promise<Heard> {
  const agent = new Agent({ keepAlive: true });
  const ask = createAsk(url, agent);
  receiver ??= startQuietReceiver(port);
  const { arrivedAt } = await receiver;
  /** Takes until the delivery has arrived. */
  const deliver = async (question: Question): Promise<Told> => {
    const sentAt = performance.now();
    const told = await ask(question);
    const id = /"(?:id|messageId)":"([^"]+)"/.exec(told.text)?.[1];
    if (id === undefined) return told;
    const at = await arrivedAt(id);
    return { ...told, ms: (at ?? performance.now()) - sentAt, status: at === undefined ? 0 : told.status };
  };
  const send = async (kind: Kind): Promise<HeardKind> => {
    if (!kinds.includes(kind)) return { ms: [], failed: {} };
    const isDelivered = kind === 'webhooks' || kind === 'messages';
    const open: Promise<Told>[] = [];
    const startedAt = performance.now();
    while (performance.now() - startedAt < seconds * 1000) {
      open.push((isDelivered ? deliver : ask)(next(kind, quiet)));
      await sleep(Math.max(0, startedAt + open.length * everyMs[kind] - performance.now()));
    }
    const answers = await Promise.all(open);
    const failed: Record<number, number> = {};
    for (const { status } of answers)
      if (succeeded[kind] !== status) failed[status] = (failed[status] ?? 0) + 1;
    return { ms: answers.map(({ ms }) => ms), failed };
  };
  const [events, pageReads, ready] = [send('events'), send('pages'), send('ready')];
  const [webhooks, messages] = [send('webhooks'), send('messages')];
  const heard = {
    ...{ events: await events, pages: await pageReads, ready: await ready },
    ...{ webhooks: await webhooks, messages: await messages },
  };
  agent.destroy();
  return heard;
}

process.on('message', async (job: QuietJob) => process.send?.(await keepQuiet(job)));
process.on('disconnect', () => process.exit());
