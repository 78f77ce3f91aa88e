import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { countedIn, examples, settingsFor, startExample } from '../../support/example.js';
import { startTestService } from '../../support/service.js';

const api = await startTestService(t);
const next = createRequire(import.meta.url).resolve('next/dist/bin/next');

// The build goes into a copy, in the checkout, where the application finds its packages.
const cwd = await mkdtemp(fileURLToPath(new URL('../.next-example-', import.meta.url)));
t.teardown(() => rm(cwd, { recursive: true }));
await cp(join(examples, 'next-app'), cwd, { recursive: true });
const env = { ...settingsFor(api), NEXT_TELEMETRY_DISABLED: '1', NEXT_MANUAL_SIG_HANDLE: 'true' };
await promisify(execFile)(process.execPath, [next, 'build'], { cwd, env: { ...process.env, ...env } });

t.test('the application reports its route handlers, and everything before it ends', async (t) => {
  const web = await startExample(t, [next, 'start'], { cwd, env });
  t.strictSame(await (await fetch(`${web.url}/items/tea`)).json(), { item: 'tea', pieces: 7 });
  t.equal((await fetch(`${web.url}/items/coffee`)).status, 200);
  t.equal((await fetch(`${web.url}/carts/c7/checkout`, { method: 'POST' })).status, 503);
  t.strictSame(await web.stop(), { code: 0, complaints: '' });
  t.strictSame(await countedIn(api), ['GET /items/[item] 200: 2', 'POST /carts/[cart]/checkout 503: 1']);
});
