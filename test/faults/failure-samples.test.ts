import { join } from 'node:path';
import t from 'tap';
import type { FailuresAnswer } from '../../contract/analytics/failures.js';
import { systemClock } from '../../lib/clock.js';
import { makeKey, makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { acknowledgers, onLinux, serveOn } from './running-service.js';

const stores = await openStores(t);
const samples = 5;

for (const from of acknowledgers)
  t.test(
    `the service killed when it has acknowledged failures with samples (${from}): each sample is there once`,
    onLinux,
    async (t) => {
      const slug = from.toLowerCase();
      const keyOf = async (scope: 'ingest' | 'read') =>
        (await makeKey({ sql: stores.sql, clock: systemClock }, { slug, scope })).key;
      await makePage(stores.sql, { slug });
      const [ingestKey, readKey] = [await keyOf('ingest'), await keyOf('read')];
      const settings = from === 'log' ? { HEARTLINE_DATA_DIR: join(await temporaryFolder(t), 'data') } : {};
      let service = await serveOn(t, stores, settings);
      const events = Array.from({ length: samples }, (_, i) => ({
        ...{
          service: 'shop',
          endpoint: '/pay',
          status: 502,
          errorType: 'TypeError',
          message: `no price for ${i}`,
        },
        traceId: String(i + 1).padStart(32, '0'),
      }));
      const post = async (body: object) => {
        const answer = await fetch(`${service.url}/api/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${ingestKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return answer.status;
      };
      // A batch with an id is in PostgreSQL, which brings it to the store within 55 s.
      const batch = from === 'log' ? events : { batchId: 'failures', events };
      t.equal(await post(batch), 202);
      process.kill(service.pid, 'SIGKILL');
      t.same(await service.exited, { code: null, signal: 'SIGKILL' });
      service = await serveOn(t, stores, settings);
      if (from !== 'log') t.equal(await post(batch), 202);
      let traces: (string | null)[] = [];
      await waitUntil(
        'the samples are there',
        async () => {
          const headers = { authorization: `Bearer ${readKey}` };
          const answer = await fetch(`${service.url}/api/v1/analytics/failures`, { headers });
          traces = ((await answer.json()) as FailuresAnswer).samples.map(({ traceId }) => traceId);
          return traces.length >= samples;
        },
        120_000,
      );
      t.same(
        traces.sort(),
        events.map(({ traceId }) => traceId),
      );
    },
  );
