import type { Test } from 'tap';
import { errorRegistry } from '../../contract/errors.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { select } from '../support/rollups.js';
import { endpointPrefix, eventMs, eventsPerBatch, nameOf, type Sent, services } from './load.js';

type Stored = { endpoint: string; status: number; requests: number; timed: number; sumUs: number };

/** The error for a batch whose block neither store accepted in time. */
const gaveUp = JSON.stringify({
  error: errorRegistry.storeUnavailable.message,
  code: errorRegistry.storeUnavailable.code,
});
const tables = ['requests_minute', 'requests_hour'] as const;
/** Number of batches in each table without statuses or endpoints, as SQL. */
const batchesIn = {
  service_requests_minute: `sum(requests) / ${eventsPerBatch}`,
  service_requests_hour: `sum(requests) / ${eventsPerBatch}`,
  endpoint_requests_6h: `sum(requests) / ${eventsPerBatch}`,
  endpoint_requests_day: `sum(requests) / ${eventsPerBatch}`,
  endpoint_requests_hour: `sum(requests) / ${eventsPerBatch}`,
  reports: `sum(calls) / ${services.length}`,
};

/**
 * Compares the answers with the stored rows. In each table of requests an accepted batch must be there whole and once, a
 * refused one must not be there, and one without a certain answer must be there whole or not at all. Nothing else of the
 * load may be stored. Prints the figures of docs/reliability.md as a comment.
 *
 * @param earlier batches that earlier loads of the same page have sent; their rows are still there.
 */
export async function checkAccounts(
  t: Test,
  clickhouseUrl: string,
  ofThisLoad: readonly Sent[],
  earlier: readonly Sent[] = [],
): Promise<void> {
  const sent = [...earlier, ...ofThisLoad];
  const clickhouse = openClickHouse(clickhouseUrl);
  try {
    for (const table of tables) {
      const rows = await select<Stored>(
        clickhouse,
        `SELECT endpoint, status, toUInt32(sum(requests)) AS requests, toUInt32(sum(latency_count)) AS timed,
                toUInt32(sum(latency_sum_us)) AS sumUs
         FROM ${table} WHERE startsWith(endpoint, '${endpointPrefix}') GROUP BY endpoint, status`,
      );
      t.strictSame(differences(rows, sent), [], `${table} holds what was accepted, once`);
      if (table === 'requests_minute') t.comment(formatAccount(rows, ofThisLoad));
    }
    const accepted = sent.filter(({ status }) => status === 202).length;
    const unknown = sent.filter((outcome) => outcome.status !== 202 && mayBeStored(outcome)).length;
    for (const [table, sum] of Object.entries(batchesIn)) {
      const [stored] = await select<{ batches: number }>(
        clickhouse,
        `SELECT toFloat64(${sum}) AS batches FROM ${table} WHERE service IN ('${services.join("', '")}')`,
      );
      const batches = stored?.batches ?? 0;
      t.ok(batches >= accepted && batches <= accepted + unknown, `and ${table} agrees`, {
        found: { batches, accepted, unknown },
      });
    }
  } finally {
    await clickhouse.close();
  }
}

function differences(rows: readonly Stored[], sent: readonly Sent[]): object[] {
  const stored = new Map(rows.map((row) => [`${row.endpoint} ${row.status}`, row]));
  const wrong: object[] = [];
  for (const outcome of sent) {
    const { endpoint, status } = nameOf(outcome.batch);
    const row = stored.get(`${endpoint} ${status}`);
    stored.delete(`${endpoint} ${status}`);
    const right = row === undefined ? outcome.status !== 202 : isWhole(row) && mayBeStored(outcome);
    if (!right) wrong.push({ ...outcome, row });
  }
  return [...wrong, ...stored.values()];
}

/** Numbers of batches. `twice`: more requests than were sent. `lost`: acknowledged, with fewer requests than were sent. */
function formatAccount(rows: readonly Stored[], sent: readonly Sent[]): string {
  const requestsOf = new Map(rows.map((row) => [`${row.endpoint} ${row.status}`, row.requests]));
  const counts = { acknowledged: 0, buffered: 0, refused: 0, unanswered: 0, stored: 0, lost: 0, twice: 0 };
  for (const { batch, status, buffered } of sent) {
    const name = nameOf(batch);
    const requests = requestsOf.get(`${name.endpoint} ${name.status}`) ?? 0;
    if (status === 202) counts.acknowledged += 1;
    else counts[status === undefined ? 'unanswered' : 'refused'] += 1;
    if (buffered) counts.buffered += 1;
    if (requests >= eventsPerBatch) counts.stored += 1;
    if (status === 202 && requests < eventsPerBatch) counts.lost += 1;
    if (requests > eventsPerBatch) counts.twice += 1;
  }
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count}`);
  return `sent ${sent.length}, ${parts.join(', ')}`;
}

/** Without an answer the outcome is unknown. So it is for a block whose answers from the stores were lost. */
function mayBeStored({ status, error }: Sent): boolean {
  return status === 202 || status === undefined || error === gaveUp;
}

function isWhole({ requests, timed, sumUs }: Stored): boolean {
  return requests === eventsPerBatch && timed === eventsPerBatch && sumUs === eventsPerBatch * eventMs * 1000;
}
