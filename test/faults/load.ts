import { Agent, request } from 'node:http';
import type { Test } from 'tap';
import { waitUntil } from '../support/wait-until.js';

/** What came of a batch: a status and how long it took, or no answer. */
export type Sent = {
  batch: number;
  sentAt: number;
  status?: number;
  /** The body's sentence, of an answer that is an error. */
  error?: string;
  seconds?: number;
  /** Of an accepted one: whether its answer says that it waits in the delivery buffer. */
  buffered?: boolean;
  failure?: string;
};

export const eventsPerBatch = 20;
/** Each response time, in milliseconds. */
export const eventMs = 3;
export const services = ['one', 'two'] as const;
export const endpointPrefix = '/faults/';
const knownEndpoints = 40;
const everyMs = 20;
const answerTimeoutMs = 60_000;
const acceptTimeoutMs = 60_000;

/** A batch is told by its endpoint and status, so that a new batch needs no new name. */
export function nameOf(batch: number): { endpoint: string; status: number } {
  return {
    endpoint: `${endpointPrefix}${batch % knownEndpoints}`,
    status: 100 + Math.floor(batch / knownEndpoints),
  };
}

export type Load = {
  /** Every batch that was sent, in order. */
  sent: readonly Sent[];
  /** How many were answered with this status. */
  count(status: number): number;
  /** How many wait for their answer. */
  readonly waiting: number;
  /** Waits until `more` further batches were answered 202. */
  untilAccepted(more: number): Promise<void>;
  /** Sends nothing more, and waits for the last answer. */
  end(): Promise<void>;
};

/**
 * Fifty batches a second whatever becomes of them, to where `url` says at that moment, for up to 19,000 batches.
 *
 * @param firstBatch the number of the first one, when an earlier load of the same page has used those before.
 */
export function startLoad(t: Test, url: () => string, ingestKey: string, firstBatch = 0): Load {
  const agent = new Agent({ keepAlive: true });
  const sent: Sent[] = [];
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const outcome: Sent = { batch: firstBatch + sent.length, sentAt: performance.now() };
    sent.push(outcome);
    const answered = post(agent, url(), ingestKey, outcome).finally(() => open.delete(answered));
    open.add(answered);
  }, everyMs);
  t.teardown(() => {
    clearInterval(timer);
    agent.destroy();
  });
  const count = (status: number): number => sent.filter((outcome) => outcome.status === status).length;
  return {
    sent,
    count,
    get waiting() {
      return open.size;
    },
    async untilAccepted(more) {
      const goal = count(202) + more;
      await waitUntil(`${more} more batches were accepted`, () => count(202) >= goal, acceptTimeoutMs);
    },
    async end() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}

/** Waits until a batch goes straight to the store: all that was buffered before is delivered then. */
export async function untilStored(url: string, ingestKey: string): Promise<void> {
  const isStored = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ service: 'other', endpoint: '/other', status: 200 }]),
    });
    return answer.status === 202 && !(await answer.text()).includes('delivery buffer');
  };
  await waitUntil('the store takes batches', isStored, acceptTimeoutMs);
}

/** Never rejects: what goes wrong is an outcome, too. */
function post(agent: Agent, url: string, ingestKey: string, outcome: Sent): Promise<void> {
  const headers = { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' };
  const options = { agent, headers, method: 'POST', signal: AbortSignal.timeout(answerTimeoutMs) };
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      outcome.failure = error.message;
      resolve();
    };
    const sending = request(`${url}/api/v1/events`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', fail).once('end', () => {
        outcome.seconds = (performance.now() - outcome.sentAt) / 1000;
        if (response.statusCode !== undefined) outcome.status = response.statusCode;
        if (response.statusCode === 202) outcome.buffered = text.includes('delivery buffer');
        else outcome.error = text;
        resolve();
      });
    });
    sending.once('error', fail).end(bodyOf(outcome.batch));
  });
}

function bodyOf(batch: number): string {
  const name = nameOf(batch);
  const events = Array.from({ length: eventsPerBatch }, (_, i) => ({
    ...name,
    service: services[i % services.length],
    ms: eventMs,
  }));
  return JSON.stringify({ events });
}
