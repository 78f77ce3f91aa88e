import { createServer } from 'node:http';
import t from 'tap';
import { createApp } from '../../api/app.js';
import { hangUpSignal } from '../../api/hang-up.js';
import type { OpenRoute } from '../../api/route.js';
import { createKeyCache } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { deferred } from '../../lib/deferred.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { captureLog } from '../support/capture-log.js';
import { stopTime } from '../support/fake-time.js';
import { listenUntilEnd } from '../support/listen.js';
import { requestAt } from '../support/request-at.js';

const work = deferred<void>();
let asked = 0;
let signal: AbortSignal | undefined;

/** A route whose work does not end before the test lets it. */
const makeRoute = (path: `/${string}`, more: Partial<OpenRoute> = {}): OpenRoute => ({
  ...{ method: 'GET', path, operationId: path, summary: path, answers: {}, errors: [], ...more },
  async handle(ctx) {
    asked += 1;
    signal = hangUpSignal(ctx.res);
    await work.promise;
    ctx.body = 'done';
  },
});

// The routes need no key, so no query connects.
const { log, text } = captureLog();
const sql = openPostgres('postgres://none@127.0.0.1:1/none');
const keys = createKeyCache({ sql, clock: systemClock, log });
const routes = [makeRoute('/hangs'), makeRoute('/own', { boundsItself: true })];
const app = createApp({ routes, keys, bodyTimeoutMs: 1_000, log, metrics: { request() {} } });
const server = createServer(app.callback());
const url = `http://127.0.0.1:${await listenUntilEnd(t, server)}`;

t.test('work that takes 8.5 s is answered with 503, unless its route has a bound of its own', async (t) => {
  const advance = stopTime(t);
  const hanging = requestAt(url, 'localhost', '/hangs');
  while (asked < 1) await advance(0);
  const ended = signal;
  let isAnswered = false;
  const own = requestAt(url, 'localhost', '/own').finally(() => {
    isAnswered = true;
  });
  while (asked < 2) await advance(0);
  await advance(8_400);
  t.equal(ended?.aborted, false);
  await advance(200);
  const { status, headers, body } = await hanging;
  t.equal(status, 503);
  t.equal(headers.get('retry-after'), '2');
  t.match(body, { error: 'The service is busy and did not finish in time. Retry later.' });
  t.ok(ended?.aborted, 'its work is aborted');
  t.match(text(), /take too long/);
  await advance(10_000);
  t.equal(isAnswered, false);
  work.resolve();
  while (!isAnswered) await advance(0);
  t.equal((await own).status, 200);
});

t.test('work that fails after its answer hurts nobody', async (t) => {
  const advance = stopTime(t);
  const late = deferred<void>();
  Object.assign(work, late);
  const hanging = requestAt(url, 'localhost', '/hangs');
  while (asked < 3) await advance(0);
  await advance(8_600);
  t.equal((await hanging).status, 503);
  late.reject(new Error('Late.'));
  await advance(10);
  t.notMatch(text(), /Late\./);
});
