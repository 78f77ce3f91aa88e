import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePoolReport } from '../pools/pool-report.js';
import type { Entry, Ledger } from './ledger.js';
import type { Answer, Send } from './send.js';

const reportsPerSession = 30;
const stepMs = 2_000;
const attempts = 3;
const retryMs = 2_000;

/** Sends reports of one session after another, each up to three times, like the pool reporter. */
export function createReportLoad(send: Send, key: string) {
  const ledger: Ledger = { what: 'pool reports', acknowledgedBy: 201, entries: [] };
  let session = { id: '', beganAt: 0, sequence: reportsPerSession };

  async function postReport(): Promise<void> {
    if (session.sequence >= reportsPerSession) {
      session = { id: randomUUID(), beganAt: Date.now() - (reportsPerSession + 1) * stepMs, sequence: 0 };
    }
    const { id, beganAt, sequence } = session;
    session.sequence += 1;
    const endsAt = beganAt + (sequence + 1) * stepMs;
    const body = makePoolReport({ session: id, sequence, beganAt, endsAt, intervalMs: stepMs, pools: 1 });
    const entry: Entry = { name: `${id} ${sequence}` };
    ledger.entries.push(entry);
    const answers: (Answer | undefined)[] = [];
    while (answers.length < attempts && answers.at(-1)?.status !== ledger.acknowledgedBy) {
      if (answers.length > 0) await sleep(retryMs);
      answers.push(await send({ method: 'POST', path: '/api/v1/database-health/reports', key, body }));
    }
    // Among several refusals, one that leaves open whether the report is stored takes precedence.
    const answer =
      answers.find((each) => each?.status === ledger.acknowledgedBy) ??
      answers.find((each) => each === undefined || !each.text.includes('nothing'));
    if (answer !== undefined) entry.answer = answer;
  }

  return { ledger, postReport };
}
