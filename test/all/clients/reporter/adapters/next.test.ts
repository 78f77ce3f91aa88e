import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { essence } from '../../../../clients/reporter/adapters/check-adapter.js';
import {
  createRecorder,
  createStage,
  listen,
  send,
  sendAndHangUp,
} from '../../../../clients/reporter/adapters/support.js';

type NextServer = {
  prepare(): Promise<void>;
  getRequestHandler(): Parameters<typeof createServer>[1];
  close(): Promise<void>;
};

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));
const require = createRequire(import.meta.url);
const next = require('next') as (options: { dir: string; dev: boolean }) => NextServer;

const { reporter, take, events } = createRecorder();
const stage = createStage();
Object.assign(globalThis, { underTest: { reporter, stage, options: { messages: true } } });

// Next.js builds what is in the checkout, where it finds its packages.
const dir = await mkdtemp(join(root, 'dist/test/all/.next-app-'));
t.teardown(() => rm(dir, { recursive: true }));
await cp(join(root, 'test/all/clients/reporter/adapters/next-app'), dir, { recursive: true });
Object.assign(process.env, { NEXT_TELEMETRY_DISABLED: '1' });
await promisify(execFile)(process.execPath, [require.resolve('next/dist/bin/next'), 'build', dir]);
const app = next({ dir, dev: false });
await app.prepare();
t.teardown(() => app.close());
const url = await listen(t, createServer(app.getRequestHandler()));

t.test('counts what route handlers answer', async (t) => {
  const item = '/shops/[shop]/items/[item]';
  for (const method of ['GET', 'POST', 'HEAD'])
    await send(`${url}/shops/s42/items/i7?key=secret`, { method });
  t.strictSame((await take(3)).map(essence), [
    { endpoint: item, method: 'GET', status: 200 },
    { endpoint: item, method: 'POST', status: 201 },
    { endpoint: item, method: 'HEAD', status: 200 },
  ]);
});

t.test('counts what Next.js makes of an error', async (t) => {
  for (const [what, status, message] of [
    ['gone', 404, undefined],
    ['moved', 307, undefined],
    ['movedForGood', 308, undefined],
    ['fail', 500, 'The till is stuck.'],
    ['nothing', 500, undefined],
  ] as const) {
    t.equal(await send(`${url}/shops/s42/${what}`), status, what);
    const [event] = await take(1);
    t.match(event, { endpoint: '/shops/[shop]/[what]', method: 'GET', status, message });
  }
});

t.test('counts a stream at its end, and as 499 without the client', async (t) => {
  const streaming = send(`${url}/shops/s42/stream`);
  await stage.arrived();
  t.strictSame(events, []);
  stage.release();
  t.equal(await streaming, 200);
  t.equal((await take(1))[0]?.status, 200);
  await sendAndHangUp(`${url}/shops/s42/stream`, stage);
  t.equal((await take(1))[0]?.status, 499);
  stage.release();
});

t.test('counts what API routes answer', async (t) => {
  const endpoint = '/api/shops/[shop]/[what]';
  t.equal(await send(`${url}/api/shops/s42/sell`), 202);
  t.equal(await send(`${url}/api/shops/s42/fail`), 500);
  await sendAndHangUp(`${url}/api/shops/s42/hang`, stage);
  const counted = await take(3);
  t.strictSame(counted.map(essence), [
    { endpoint, method: 'GET', status: 202 },
    { endpoint, method: 'GET', status: 500 },
    { endpoint, method: 'GET', status: 499 },
  ]);
  t.equal(counted[1]?.message, 'The till is stuck.');
});
