import t from 'tap';
import type { PoolReport } from '../../contract/pool-reports.js';
import { observationsPath, startObservationService } from '../support/observations.js';
import { readHeld, reportsPath, startReportService, untilStored } from '../support/pool-reports.js';
import { startAnother } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const observed = await startObservationService(t);
const reported = await startReportService(t);

t.test('no observation is acknowledged while PostgreSQL is unavailable', async (t) => {
  const gate = await openTcpGate(t, observed.api.stores.databaseUrl);
  const instance = await startAnother(t, observed.api, { databaseUrl: gate.url, clock: observed.clock });
  const observation = observed.make();
  const post = () => instance.post(observationsPath, observation, { key: observed.api.ingestKey });
  t.equal((await instance.post(observationsPath, '{')).status, 400, 'its key is in memory');
  await gate.close();
  const answer = await post();
  t.equal(answer.status, 503);
  t.match(answer.body, {
    error: 'The store cannot be reached right now. Retry later.',
    code: 'store.unavailable',
  });
  t.ok(answer.headers.get('retry-after'));
  await gate.open();
  let retried = await post();
  await waitUntil('it is back', async () => {
    if (retried.status === 503) retried = await post();
    return retried.status === 201;
  });
  t.match(retried.body, { duplicate: false }, 'nothing of it was stored before');
  gate.stall();
  t.equal((await post()).status, 503, 'and the answer does not wait for a silent store');
  await gate.close();
  await gate.open();
});

t.test(
  'no report of pools is acknowledged while PostgreSQL is unavailable, and nothing counts twice on a retry',
  async (t) => {
    const gate = await openTcpGate(t, reported.api.stores.databaseUrl);
    const instance = await startAnother(t, reported.api, { databaseUrl: gate.url, clock: reported.clock });
    const send = (report: PoolReport) => instance.post(reportsPath, report);
    t.equal((await send(reported.make())).status, 201);
    await untilStored(reported.sql);
    await gate.close();
    const report = reported.make();
    const before = await readHeld(reported.sql);
    const answer = await send(report);
    t.match(answer, {
      status: 503,
      body: { error: 'The store cannot be reached right now. Retry later.', code: 'store.unavailable' },
    });
    t.match(answer.headers.get('retry-after'), /^\d+$/);
    t.strictSame(await readHeld(reported.sql), before);
    await gate.open();
    await waitUntil('it is taken again', async () => (await send(report)).status === 201);
  },
);
