import { get } from 'node:http';
import { type PoolReporterOptions, type PoolSource, startPoolReporter } from '@heartline/pool-reporter';
import { Clock } from '@tapjs/clock';
import type { Test } from 'tap';
import type { PoolReport } from '../../contract/pool-reports.js';
import {
  type CheckedPoolReport,
  parsePoolReport,
} from '../../database-health/pool-reports/parse-pool-report.js';
import { reportsPath } from './pool-reports.js';
import { type Receiver, type Reply, startReceiver } from './receiver.js';
import { waitUntil } from './wait-until.js';

export const taken: Reply = { status: 201, body: '{"version":1,"accepted":true,"duplicate":false}' };

export const identity = { service: 'checkout', environment: 'test', revision: 'f3c9a51' };

/**
 * Returns what a reporter measures while the pools are used, as the service parses it, and asserts that it is valid.
 *
 * @param told receives what goes to onError; without it, any such call fails.
 */
export async function reportOf(
  t: Test,
  pools: PoolSource[],
  use: () => Promise<void>,
  told?: string[],
): Promise<CheckedPoolReport> {
  const receiver = await startReceiver(t);
  receiver.answer = () => taken;
  const errors: string[] = told ?? [];
  const options = { ...identity, url: receiver.url, key: 'key', pools };
  const reporter = startPoolReporter({ ...options, onError: ({ message }) => errors.push(message) });
  const startedAt = Date.now();
  await use();
  // An interval lasts at least a millisecond.
  await waitUntil('a millisecond has passed', () => Date.now() > startedAt);
  await reporter.stop();
  if (told === undefined) t.strictSame(errors, [], 'nothing went wrong');
  return parsePoolReport(JSON.parse(receiver.received[0]?.body ?? ''), Date.now());
}

/** A pool with nothing to measure, for tests of sending. */
export const quietPool: PoolSource = { attach: () => ({ take: () => [], detach() {} }) };

export type Arrived = { at: number; body: string; report: PoolReport };

/** Starts a reporter and a receiver of its reports, in a time that the test advances. */
export async function startReporting(t: Test, options: Partial<PoolReporterOptions> = {}) {
  const receiver = await startReceiver(t);
  const arrived: Arrived[] = [];
  const errors: string[] = [];
  const state: { answer: (sent: Arrived) => Reply } = { answer: () => taken };
  receiver.answer = ({ path, body, headers }) => {
    if (path !== reportsPath) return { status: 204 };
    t.equal(headers['authorization'], 'Bearer key_ingest_1');
    const sent = { at: Date.now(), body, report: JSON.parse(body) as PoolReport };
    arrived.push(sent);
    return state.answer(sent);
  };
  const clock = new Clock();
  const { UTC, parse } = Date;
  clock.travel(UTC(2026, 0, 31, 12));
  t.teardown(clock.enter());
  Object.assign(Date, { UTC, parse }); // The clock's Date has none.
  const reporter = startPoolReporter({
    ...identity,
    url: receiver.url,
    key: 'key_ingest_1',
    pools: [quietPool],
    onError: (error) => errors.push(error.message),
    ...options,
  });
  return {
    ...{ url: receiver.url, reporter, arrived, errors, state },
    pass: (seconds: number) => clock.advance(seconds * 1000),
    /** Waits until exactly this many reports have arrived, repeated ones included. */
    async have(count: number): Promise<void> {
      await waitUntil(`${count} reports have come`, () => arrived.length >= count);
      await settle(receiver);
      if (arrived.length !== count) throw new Error(`${arrived.length} reports instead of ${count}.`);
    },
  };
}

/** Once these requests are answered, everything sent before them has arrived. */
async function settle({ url }: Receiver): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve, reject) => {
      get(url, { agent: false }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  }
}
