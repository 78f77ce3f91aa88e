import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';
import t, { type Test } from 'tap';
import { createErrorAnswers } from '../../api/answer-errors.js';
import type { BodyLimits } from '../../api/read-body.js';
import { readForm } from '../../api/read-form.js';
import { createTimeouts } from '../../lib/timeouts.js';
import { listenUntilEnd } from '../support/listen.js';
import { openConnection, postHead } from '../support/raw-http.js';
import { silentLog } from '../support/silent-log.js';

const limits = { bytesMax: 100, timeouts: createTimeouts(10_000), budget: { bytes: 0, bytesMax: 1_000 } };

/** Serves what `readForm` returns as JSON, and its errors as the service answers them. */
async function serveForms(t: Test, given: BodyLimits = limits) {
  const app = new Koa();
  app.silent = true;
  app.use(createErrorAnswers({ log: silentLog }));
  app.use(async (ctx) => {
    ctx.body = await readForm(ctx, given);
  });
  const server = createServer(app.callback());
  const url = `http://127.0.0.1:${await listenUntilEnd(t, server)}`;
  const post = async (body: BodyInit, headers: Record<string, string> = {}) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return { url, post };
}

const answers = await serveForms(t);

t.test('fields by name, and all values of a field that was sent several times', async (t) => {
  for (const [sent, form] of [
    ['', {}],
    ['email=a%40example.com&language=de', { email: 'a@example.com', language: 'de' }],
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a=b+c%C3%A9', { a: 'b cé' }],
    ['a[b]=1&c.d=2&e[]=3', { 'a[b]': '1', 'c.d': '2', 'e[]': '3' }],
  ] as const) {
    t.strictSame(await answers.post(sent), { status: 200, body: form }, sent);
  }
});

t.test('a field is data, whatever its name', async (t) => {
  const { body } = await answers.post('constructor=2&hasOwnProperty=3');
  t.strictSame(body, { constructor: '2', hasOwnProperty: '3' });
});

t.test('the media type of the request does not matter', async (t) => {
  const { body } = await answers.post('a=1', { 'content-type': 'text/plain' });
  t.strictSame(body, { a: '1' });
});

t.test('an inflated body, within the limit as sent and as inflated', async (t) => {
  const gzip = { 'content-encoding': 'gzip' };
  t.strictSame(await answers.post(gzipSync('a=1'), gzip), { status: 200, body: { a: '1' } });
  t.equal((await answers.post(gzipSync(`a=${'x'.repeat(1_000)}`), gzip)).status, 413);
  t.equal((await answers.post('a=1', gzip)).status, 400);
  t.equal((await answers.post('a=1', { 'content-encoding': 'zstd' })).status, 415);
});

t.test('413: more bytes than the route takes, announced or not', async (t) => {
  const large = `a=${'x'.repeat(99)}`;
  t.equal((await answers.post(large)).status, 413);
  t.equal((await answers.post(new Blob([large]).stream())).status, 413);
  t.equal((await answers.post(`a=${'x'.repeat(98)}`)).status, 200);
});

t.test('408: a form that stalls', async (t) => {
  const { url } = await serveForms(t, { ...limits, timeouts: createTimeouts(50) });
  const connection = await openConnection(t, url);
  connection.send(`${postHead('/', { 'content-length': 10 })}a=1`);
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 408 /);
});

t.test('503: all bodies together take more than their budget', async (t) => {
  const { post } = await serveForms(t, { ...limits, budget: { bytes: 995, bytesMax: 1_000 } });
  t.equal((await post('a=1')).status, 200);
  const { status, body } = await post('a=123456');
  t.equal(status, 503);
  t.match(body, { error: /receiving as much as it can/ });
});

t.test('503: an inflated body takes more than is left of the budget, which it gives back', async (t) => {
  const budget = { bytes: 900, bytesMax: 1_000 };
  const { post } = await serveForms(t, { ...limits, budget });
  const statuses = [];
  for (const length of [10, 80, 98, 10]) {
    const body = gzipSync(`a=${'x'.repeat(length)}`);
    statuses.push((await post(body, { 'content-encoding': 'gzip' })).status);
  }
  t.strictSame(statuses, [200, 503, 503, 200]);
  t.equal(budget.bytes, 900);
});
