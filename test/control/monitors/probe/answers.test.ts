import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { type HttpOptions, httpDefaults } from '../../../../contract/monitors.js';
import { checkHttp } from '../../../../control/monitors/probe/check-http.js';
import { type CheckDeps, createCheckDeps } from '../../../../control/monitors/probe/run-check.js';
import { systemClock } from '../../../../lib/clock.js';
import { dayMs } from '../../../../lib/times.js';
import { certificateChain as chain } from '../../../support/certificate-chain.js';
import { listenUntilEnd } from '../../../support/listen.js';

const deps = createCheckDeps({ allowPrivateAddresses: true, clock: systemClock });
const trusting = { ...deps, trustedCertificates: chain.root };

type Answer = (answer: ServerResponse, request: IncomingMessage) => void;

async function serve(t: Test, answers: Record<string, Answer>): Promise<string> {
  const server: Server = createServer((request, answer) => {
    (answers[request.url ?? ''] ?? (() => answer.writeHead(404).end()))(answer, request);
  });
  return `http://127.0.0.1:${await listenUntilEnd(t, server)}`;
}

function check(url: string, options: Partial<HttpOptions> = {}, given: CheckDeps = deps) {
  const secrets = { headers: [['Cookie', 'own=1; a=old'] as const], body: null };
  return checkHttp(
    given,
    { url, timeoutMs: 30_000, options: { ...httpDefaults, ...options }, secrets },
    new AbortController().signal,
  );
}

t.test('a text is found in every encoding and coding', async (t) => {
  const text = 'The whole of the answer says: all good, and nothing else.';
  const gbk = Buffer.from('d6d0cec4', 'hex');
  const page = (head: string) => Buffer.concat([Buffer.from(head), gbk]);
  const type = (contentType: string) => ({ 'content-type': contentType });
  const coded = (coding: string) => ({ 'content-encoding': coding });
  const cases: [headers: Record<string, string>, body: Buffer, expectBody: string][] = [
    [type('text/html; charset=gbk'), gbk, '中文'],
    [type('text/html'), page('<meta charset="gbk">'), '中文'],
    [{}, page('<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'), '中文'],
    [type('text/html'), page('<!-- <meta charset="utf-8"> --><meta charset=gbk>'), '中文'],
    [type('application/xml'), page('<?xml version="1.0" encoding="gbk"?>'), '中文'],
    [type('text/html; charset=nonsense'), page('<meta charset="gbk">'), '中文'],
    [type('text/html; charset=gbk'), Buffer.from('\ufeff中文'), '中文'],
    [type('application/json'), Buffer.from('{"html":"<meta charset=gbk>","text":"中文"}'), '中文'],
    [type('text/html; charset=ISO-8859-1'), Buffer.from('St\xf6rung', 'latin1'), 'Störung'],
    [type('text/plain; charset="Shift_JIS"'), Buffer.from('93fa967b', 'hex'), '日本'],
    [type('text/plain; charset=utf-16le'), Buffer.from('\ufeffready', 'utf16le'), 'ready'],
    [type('text/plain'), Buffer.from('\ufeffready', 'utf16le').swap16(), 'ready'],
    [coded('gzip'), gzipSync(text), 'all good'],
    [coded('x-gzip'), gzipSync(text), 'all good'],
    [coded('deflate'), deflateSync(text), 'all good'],
    [coded('deflate'), deflateRawSync(text), 'all good'],
    [coded('br'), brotliCompressSync(text.repeat(20)), 'all good'],
    [coded('gzip, br'), brotliCompressSync(gzipSync(text)), 'all good'],
    [coded('identity'), Buffer.from(text), 'all good'],
    [coded('gzip'), gzipSync(text).subarray(0, -8), 'all good'],
    [coded('gzip'), gzipSync(Buffer.alloc(200_000, 'a')), 'aaa'],
  ];
  const accepted = new Set<string | string[] | undefined>();
  const answers = cases.map(([headers, body], number): [string, Answer] => [
    `/${number}`,
    (answer, request) => {
      accepted.add(request.headers['accept-encoding']);
      answer.writeHead(200, headers).end(body);
    },
  ]);
  const url = await serve(t, Object.fromEntries(answers));
  const outcomes = await Promise.all(
    cases.map(async ([headers, , expectBody], number) => {
      const { ok, detail } = await check(`${url}/${number}`, { expectBody });
      return ok ? [] : [{ number, headers, detail }];
    }),
  );
  t.strictSame(outcomes.flat(), []);
  t.strictSame([...accepted], ['identity']);
});

t.test('what cannot be undone is said, and a bomb is not read to its end', async (t) => {
  const zeros = gzipSync(Buffer.alloc(1024 * 1024, 97));
  const url = await serve(t, {
    // Members of a megabyte, without end: the check would time out.
    '/bomb': (answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' });
      const write = (): void => {
        if (!answer.closed) answer.write(zeros, write);
      };
      write();
    },
    '/empty': (answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(),
    '/wrong': (answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end('all good'),
    '/zstd': (answer) => answer.writeHead(200, { 'content-encoding': 'made-up' }).end('all good'),
  });
  t.match(await check(`${url}/bomb`, { expectBody: 'b' }), { ok: false, error: 'body', status: 200 });
  t.match(await check(`${url}/empty`), { ok: true });
  t.match(await check(`${url}/wrong`), { error: 'protocol', status: 200, detail: /is not gzip, as it says/ });
  t.match(await check(`${url}/zstd`), { error: 'protocol', status: 200, detail: /"made-up"/ });
});

t.test('cookies are kept along the redirects of one check, by path and host', async (t) => {
  const seen: (string | undefined)[] = [];
  const setting =
    (cookies: string[], location: string): Answer =>
    (answer, { headers: { cookie } }) => {
      seen.push(cookie);
      if (cookie?.includes('a=1')) answer.end(`welcome ${cookie}`);
      else answer.writeHead(302, { location, 'set-cookie': cookies }).end();
    };
  const other = await serve(t, { '/': (answer, request) => answer.end(`got ${request.headers.cookie}`) });
  const url = await serve(t, {
    '/self': setting(['a=1; Path=/; HttpOnly'], '/self'),
    '/two': setting(
      [
        ...[
          'a=1; Path=/two',
          'b=2; Path=/elsewhere',
          'c=3; Secure',
          'd=4; Max-Age=0',
          'd2=4; Path=/two/below',
        ],
        ...['e=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'f=6; Domain=other.example', 'g=7; Max-Age=60'],
      ],
      '/two',
    ),
    '/other': setting(['a=1'], other.replace('127.0.0.1', 'localhost')),
  });
  t.match(await check(`${url}/self`, { expectBody: 'welcome own=1; a=1' }), { ok: true });
  t.match(await check(`${url}/two`, { expectBody: 'welcome own=1; a=1; g=7' }), { ok: true });
  t.match(await check(`${url}/other`, { expectBody: 'got undefined' }), { ok: true });
  t.match(seen[0], 'own=1; a=old', 'those of the monitor are sent as they are');
  t.match(await check(`${url}/self`), { ok: true });
  t.equal(seen.filter((cookie) => cookie === 'own=1; a=old').length, 4, 'and the others are forgotten');
});

t.test('long headers are read, and an answer that ends early has its status', async (t) => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-policy-${i}`, 'v'.repeat(1_000)]));
  const url = await serve(t, {
    '/headers': (answer) => answer.writeHead(200, headers(150)).end('ok'),
    '/too-long': (answer) => answer.writeHead(200, headers(300)).end('ok'),
    '/short': (answer) => {
      answer.writeHead(200, { 'content-length': 200 }).write('only this', () => answer.socket?.destroy());
    },
  });
  t.match(await check(`${url}/headers`), { ok: true, status: 200 });
  t.match(await check(`${url}/too-long`), { error: 'protocol', detail: /larger than 256 KiB/ });
  t.match(await check(`${url}/short`), { error: 'reset', status: 200, detail: /ended too early/ });
});

t.test('a server that speaks HTTP/2 alone is named', async (t) => {
  const server = createSecureServer({ key: chain.key, cert: chain.server + chain.intermediate });
  server.on('unknownProtocol', (socket) => socket.destroy()).on('tlsClientError', () => {});
  const port = await listenUntilEnd(t, server);
  t.match(await check(`https://127.0.0.1:${port}/`, {}, trusting), {
    ...{ ok: false, error: 'protocol', detail: /speaks HTTP\/2 alone/ },
  });
});

t.test('the certificate on the path of trust that ends first counts', async (t) => {
  const sent = [
    chain.server + chain.intermediate + chain.unneeded,
    chain.server + chain.intermediate + chain.root,
  ];
  for (const cert of sent) {
    const server = createTlsServer({ key: chain.key, cert }, (_, answer) => answer.end('ok'));
    const port = await listenUntilEnd(t, server);
    const clock = { now: () => chain.intermediateEndsAt - 3 * dayMs + 1 };
    t.match(await check(`https://127.0.0.1:${port}/`, { tlsExpiryDays: 14 }, { ...trusting, clock }), {
      ...{ error: 'tls-expiring', detail: 'An intermediate certificate ends in 2 days.' },
      certificateEndsAt: chain.intermediateEndsAt,
    });
  }
});
