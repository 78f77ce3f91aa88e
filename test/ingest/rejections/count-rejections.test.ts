import t from 'tap';
import type { Rejected } from '../../../ingest/read/batch.js';
import { startRejectionCounts } from '../../../ingest/rejections/count-rejections.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { captureLog } from '../../support/capture-log.js';
import { makePage } from '../../support/pages.js';
import { openStores } from '../../support/stores.js';

const stores = await openStores(t);
const { sql } = stores;
const page = await makePage(sql);
const at = Date.UTC(2026, 0, 31, 12, 0, 30);

const rejected = (count: number, message = 'wrong'): Rejected => ({
  ...{ count, firstIndex: 0, message },
  service: undefined,
});

const stored = () => sql<{ reason: string; events: bigint }[]>`
  select reason, sum(events)::bigint as events from rejected_events where page_id = ${page.id} group by reason`;

t.test('counts of a minute add up, in memory and in the store, and the newest message stays', async (t) => {
  const counts = startRejectionCounts({ sql, log: captureLog().log });
  const add = (count: number, time: number, message: string) =>
    counts.add(page.id, new Map([['too_old', rejected(count, message)]]), { at: time, caller: undefined });
  add(2, at + 1, 'newer');
  add(3, at, 'older');
  await counts.flush();
  add(4, at - 1, 'oldest');
  await Promise.all([counts.flush(), counts.flush()]);
  await counts.stop();
  t.strictSame(
    (await stored()).map(({ reason, events }) => [reason, Number(events)]),
    [['too_old', 9]],
  );
  const [newest] = await sql`select message, at from rejection_messages where page_id = ${page.id}`;
  t.match(newest, { message: 'newer', at: new Date(at + 1) });
});

t.test('what a store did not take is written later, once', async (t) => {
  const counts = startRejectionCounts({ sql, log: captureLog().log });
  await sql`alter table rejected_events rename to rejected_events_elsewhere`;
  counts.add(page.id, new Map([['at_invalid', rejected(5)]]), { at, caller: 'worker' });
  await t.rejects(counts.flush());
  await sql`alter table rejected_events_elsewhere rename to rejected_events`;
  counts.add(page.id, new Map([['at_invalid', rejected(1)]]), { at, caller: 'worker' });
  await counts.stop();
  const held = (await stored()).find(({ reason }) => reason === 'at_invalid');
  t.equal(Number(held?.events), 6);
});

t.test('memory is bounded: further counts are in the metrics only, and logged', async (t) => {
  const { log, entries } = captureLog();
  const counts = startRejectionCounts({ sql, log });
  await sql`alter table rejected_events rename to rejected_events_elsewhere`;
  for (let i = 0; i < 10_003; i += 1) {
    counts.add(newId<PageId>(at), new Map([['too_old', rejected(2)]]), {
      at: at + minuteMs,
      caller: undefined,
    });
  }
  await t.rejects(counts.flush());
  await counts.stop();
  await sql`alter table rejected_events_elsewhere rename to rejected_events`;
  t.match(
    entries().find(({ msg }) => /in the metrics only/.test(String(msg))),
    { events: 6 },
  );
  t.ok(entries().some(({ msg }) => /were not written/.test(String(msg))));
});
