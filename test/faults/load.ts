import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { untilDelivered } from '../support/log-files.js';
import { waitUntil } from '../support/wait-until.js';

/** Outcome of a batch: a status and its latency, or no answer. */
export type Sent = {
  batch: number;
  sentAt: number;
  status?: number;
  /** The message of an error answer. */
  error?: string;
  /** The seconds of an error answer's Retry-After. */
  retryAfterSeconds?: number;
  seconds?: number;
  /** For an accepted batch: whether it waits for the store in the log or in the delivery buffer, by its `warning`. */
  buffered?: boolean;
  failure?: string;
  /** How often it was sent; more than once for a named batch alone. */
  attempts: number;
};

export const eventsPerBatch = 20;
/** Response time of each event, in milliseconds. */
export const eventMs = 3;
export const services = ['one', 'two'] as const;
export const endpointPrefix = '/faults/';
const knownEndpoints = 40;
const everyMs = 20;
const answerTimeoutMs = 60_000;
const acceptTimeoutMs = 60_000;
/** A named batch is sent again after this pause. */
const retryMs = 250;
/** Begins the `warning` of a batch that waits for its store. */
const waitsForStore = 'The event store cannot be reached';

/** Endpoint and status identify a batch, so that a new batch needs no new name. */
export function nameOf(batch: number): { endpoint: string; status: number } {
  return {
    endpoint: `${endpointPrefix}${batch % knownEndpoints}`,
    status: 100 + Math.floor(batch / knownEndpoints),
  };
}

export type Load = {
  /** Every batch sent, in order. */
  sent: readonly Sent[];
  /** Number of batches answered with this status. */
  count(status: number): number;
  /** Number of batches without an answer so far. */
  readonly waiting: number;
  /** Waits until `more` further batches are answered 202. */
  untilAccepted(more: number): Promise<void>;
  /** Stops sending, and waits for the last answer. */
  end(): Promise<void>;
};

type Options = {
  /** Number of the first batch, if an earlier load of the same page has used the lower ones. */
  firstBatch?: number;
  /** Whether batches have an id, and are sent again until they are accepted. */
  isNamed?: boolean;
};

/** Sends fifty batches a second without waiting for answers, each to the current value of `url`, up to 19,000 batches. */
export function startLoad(
  t: Test,
  url: () => string,
  ingestKey: string,
  { firstBatch = 0, isNamed = false }: Options = {},
): Load {
  // The service closes an idle connection after 30 s, which may be as a request is sent.
  const agent = new Agent({ keepAlive: true, timeout: 15_000 });
  const sent: Sent[] = [];
  const open = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const outcome: Sent = { batch: firstBatch + sent.length, sentAt: performance.now(), attempts: 0 };
    sent.push(outcome);
    const send = isNamed ? postUntilAccepted : post;
    const answered = send({ agent, url, ingestKey, isNamed }, outcome).finally(() => open.delete(answered));
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

/**
 * Waits until the store takes batches, the log and PostgreSQL have delivered what they held, and nothing waits in the
 * delivery buffer. None follows from the others: a batch passes a buffer that does not answer, and a process that ended left its log.
 */
export async function untilStored(
  { url, databaseUrl, logDir }: { url: string; databaseUrl: string; logDir: string },
  ingestKey: string,
): Promise<void> {
  const isStored = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/api/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ service: 'other', endpoint: '/other', status: 200 }]),
    });
    return answer.status === 202 && !(await answer.text()).includes(waitsForStore);
  };
  await waitUntil('the store takes batches', isStored, acceptTimeoutMs);
  await untilDelivered(logDir);
  const sql = openPostgres(databaseUrl);
  // PostgreSQL may have been killed a moment ago.
  const tokensOf = (table: string) =>
    sql<{ token: string }[]>`select token from ${sql(table)}`.then(
      (rows) => rows.map(({ token }) => token),
      () => undefined,
    );
  try {
    // Under load there is always a held block, and another one each second.
    let held: string[] | undefined;
    const isTaken = async (): Promise<boolean> => {
      const now = await tokensOf('held_blocks');
      held ??= now;
      return now !== undefined && !now.some((token) => held?.includes(token));
    };
    await waitUntil('the store has the held blocks', isTaken, acceptTimeoutMs);
    const isEmpty = async () => (await tokensOf('delivery_batches'))?.length === 0;
    await waitUntil('the buffer is empty', isEmpty, acceptTimeoutMs);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

type Sender = { agent: Agent; url(): string; ingestKey: string; isNamed: boolean };

async function postUntilAccepted(sender: Sender, outcome: Sent): Promise<void> {
  const deadline = performance.now() + acceptTimeoutMs;
  for (;;) {
    await post(sender, outcome);
    if (outcome.status === 202 || performance.now() > deadline) return;
    await sleep(retryMs);
  }
}

/** Sends a batch once. Never rejects: a failure is an outcome, too. */
function post({ agent, url, ingestKey, isNamed }: Sender, outcome: Sent): Promise<void> {
  outcome.attempts += 1;
  const headers = { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' };
  const options = { agent, headers, method: 'POST', signal: AbortSignal.timeout(answerTimeoutMs) };
  return new Promise((resolve) => {
    const fail = (error: Error): void => {
      outcome.failure = error.message;
      resolve();
    };
    const sending = request(`${url()}/api/v1/events`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('error', fail).once('end', () => {
        outcome.seconds = (performance.now() - outcome.sentAt) / 1000;
        if (response.statusCode !== undefined) outcome.status = response.statusCode;
        if (response.statusCode === 202) outcome.buffered = text.includes(waitsForStore);
        else Object.assign(outcome, { error: text, retryAfterSeconds: retryAfterOf(response) });
        resolve();
      });
    });
    sending.once('error', fail).end(bodyOf(outcome.batch, isNamed));
  });
}

const retryAfterOf = ({ headers }: IncomingMessage): number => Number(headers['retry-after'] ?? Number.NaN);

function bodyOf(batch: number, isNamed: boolean): string {
  const name = nameOf(batch);
  const events = Array.from({ length: eventsPerBatch }, (_, i) => ({
    ...name,
    service: services[i % services.length],
    ms: eventMs,
  }));
  return JSON.stringify({ ...(isNamed && { batchId: `batch-${batch}` }), events });
}
