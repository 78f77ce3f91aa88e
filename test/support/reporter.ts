import { get } from 'node:http';
import { createReporter, type ReporterOptions, type RequestEvent } from '@heartline/reporter';
import { Clock } from '@tapjs/clock';
import type { Test } from 'tap';
import { type Received, type Receiver, type Reply, startReceiver } from './receiver.js';
import { waitUntil } from './wait-until.js';

export type SentEvent = {
  endpoint: string;
  method: string;
  status: number;
  ms?: number;
  at: string;
  message?: string;
  service?: string;
};
export type SentBatch = { batchId?: string; reporter?: object; events: SentEvent[] };
export type Arrived = Received & { at: number; batch: SentBatch };

export const identity = { reporterId: 'shop-1', englishName: 'Shop' };

export const event: RequestEvent = { endpoint: '/carts/:id', method: 'GET', status: 200, ms: 12.5 };

/** The answer to a batch whose events are all counted, but for `rejected` of them. */
export function accept({ batch }: Arrived, rejected = 0): Reply {
  return {
    status: 202,
    body: JSON.stringify({ accepted: batch.events.length - rejected, rejected, rows: 1, statements: 1 }),
  };
}

/** Starts a reporter and a receiver of its batches, in a time that the test advances. */
export async function startReporting(t: Test, options: Partial<ReporterOptions> = {}) {
  const receiver = await startReceiver(t);
  const arrived: Arrived[] = [];
  const errors: string[] = [];
  const state: { answer: (sent: Arrived) => Reply | Promise<Reply> } = { answer: (sent) => accept(sent) };
  const clock = new Clock();
  receiver.answer = (request) => {
    if (!request.path.startsWith('/api/')) return { status: 204 };
    const sent = { ...request, at: clock.now(), batch: JSON.parse(request.body) as SentBatch };
    arrived.push(sent);
    return state.answer(sent);
  };
  const { UTC, parse } = Date;
  clock.travel(UTC(2026, 0, 31, 12));
  t.teardown(clock.enter());
  Object.assign(Date, { UTC, parse }); // The clock's Date has none.
  const reporter = createReporter({
    ...{ url: receiver.url, key: 'key_ingest_1', reporter: identity },
    onError: ({ message }) => errors.push(message),
    ...options,
  } as ReporterOptions);
  const settle = () => settleAt(receiver);
  return {
    ...{ url: receiver.url, reporter, arrived, errors, state, settle },
    pass: (seconds: number) => clock.advance(seconds * 1000),
    record(count = 1, more: Partial<RequestEvent> = {}) {
      for (let i = 0; i < count; i += 1) reporter.record({ ...event, ...more });
    },
    /** Waits until exactly this many requests have arrived and are answered. */
    async have(count: number): Promise<void> {
      await waitUntil(`${count} batches have come`, () => arrived.length >= count);
      await settle();
      if (arrived.length !== count) throw new Error(`${arrived.length} batches instead of ${count}.`);
    },
  };
}

/** Once these requests are answered, everything that was sent before them has arrived and is answered. */
async function settleAt({ url }: Receiver): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    await new Promise((resolve, reject) => {
      get(url, { agent: false }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  }
}
