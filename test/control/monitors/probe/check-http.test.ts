import type { LookupFunction } from 'node:net';
import t from 'tap';
import { type HttpOptions, httpDefaults, type RequestSecrets } from '../../../../contract/monitors.js';
import { checkHttp } from '../../../../control/monitors/probe/check-http.js';
import type { Outcome } from '../../../../control/monitors/probe/outcome.js';
import { type CheckDeps, createCheckDeps } from '../../../../control/monitors/probe/run-check.js';
import { systemClock } from '../../../../lib/clock.js';
import { findClosedPort, startProbeTarget, startRawTarget } from '../../../support/probe-target.js';
import { selfSigned } from '../../../support/self-signed.js';
import { waitUntil } from '../../../support/wait-until.js';

const open = createCheckDeps({ allowPrivateAddresses: true, clock: systemClock });
const strict = createCheckDeps({ allowPrivateAddresses: false, clock: systemClock });
const target = await startProbeTarget(t);

type Options = Partial<HttpOptions> & Partial<RequestSecrets> & { timeoutMs?: number; deps?: CheckDeps };

function check(url: string, options: Options = {}): Promise<Outcome> {
  const { timeoutMs = 5_000, deps = open, headers = [], body = null, ...rest } = options;
  const full = { url, timeoutMs, options: { ...httpDefaults, ...rest }, secrets: { headers, body } };
  return checkHttp(deps, full, new AbortController().signal);
}

/** Resolves every name to this address, after a moment. */
function lookupTo(address: string): LookupFunction {
  const found = [{ address, family: 4 }];
  return (_hostname, options, done) => {
    setTimeout(() => (options.all ? done(null, found) : done(null, address, 4)), 5);
  };
}

t.test('an expected response passes, and its phases are measured', async (t) => {
  const outcome = await check(`http://target.test:${target.port}/ok`, {
    expectBody: 'is well',
    deps: { ...open, lookup: lookupTo('127.0.0.1') },
  });
  t.match(outcome, { ok: true, error: null, detail: null, status: 200, tlsMs: null });
  const { totalMs, dnsMs, connectMs, firstByteMs } = outcome;
  for (const part of [dnsMs, connectMs, firstByteMs]) t.ok(part !== null && part > 0);
  t.ok(
    (totalMs ?? 0) >= (dnsMs ?? 0) + (connectMs ?? 0) + (firstByteMs ?? 0),
    'which are parts of the total',
  );
  t.match(await check(`${target.url}/ok`), { ok: true, dnsMs: null }, 'an address needs no lookup');
  t.match(await check(`${target.url}/503`, { expectStatus: '500-599' }), { ok: true, status: 503 });
  t.match(await check(`${target.url}/chunked`, { expectBody: 'all is well' }), { ok: true });
  const old = await startRawTarget(t, 'HTTP/1.0 200 OK\r\nServer: old\r\n\r\nall is well');
  t.match(await check(`http://127.0.0.1:${old}/`, { expectBody: 'all is well' }), { ok: true, status: 200 });
});

t.test('each failure has its class', async (t) => {
  const tls = await startProbeTarget(t, { tls: true });
  const garbage = await startRawTarget(t, 'SSH-2.0-OpenSSH_9.2\r\n');
  const upgrade = await startRawTarget(
    t,
    'HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
  );
  const noHost: LookupFunction = (_hostname, _options, done) =>
    done(Object.assign(new Error('none'), { code: 'ENOTFOUND' }), '');
  const cases: [string, Options, string, number | null][] = [
    [`${target.url}/503`, {}, 'status', 503],
    [`${target.url}/ok`, { expectStatus: '204,300-399' }, 'status', 200],
    [`${target.url}/ok`, { expectBody: 'all is lost' }, 'body', 200],
    [`${target.url}/slow`, { timeoutMs: 60 }, 'timeout', null],
    ['http://target.test/', { timeoutMs: 60, deps: { ...open, lookup: () => {} } }, 'timeout', null],
    [`${target.url}/drop`, {}, 'reset', null],
    [`${target.url}/cut`, {}, 'reset', 200],
    [`http://127.0.0.1:${upgrade}/`, {}, 'reset', null],
    [`http://127.0.0.1:${await findClosedPort()}/`, {}, 'refused', null],
    [`${target.url}/loop`, {}, 'redirect-loop', null],
    [`${target.url}/mail`, {}, 'protocol', null],
    [`http://127.0.0.1:${garbage}/`, {}, 'protocol', null],
    ['http://target.test/', { deps: { ...open, lookup: noHost } }, 'dns', null],
    [`${tls.url}/ok`, {}, 'tls', null],
    [`${target.url.replace('http:', 'https:')}/ok`, {}, 'tls', null],
  ];
  for (const [url, options, error, status] of cases) {
    const outcome = await check(url, options);
    t.match(outcome, { ok: false, error, status }, `${error}: ${url}`);
    const isWhole = status !== null && error !== 'reset';
    t.equal(outcome.totalMs !== null, isWhole, 'there is a time only with a whole response');
    t.notMatch(outcome.detail, /\d+\.\d+\.\d+\.\d+/, 'the message contains no address');
  }
  t.equal(tls.received.length, 0, 'nothing is sent over an untrusted connection');
  t.equal(target.received.filter(({ path }) => path === '/loop').length, 6, 'five redirects are followed');
});

/** Looks up nothing, with this code. */
const failWith =
  (code: string): LookupFunction =>
  (_hostname, _options, done) =>
    done(Object.assign(new Error(code), { code, syscall: 'queryA' }), '');

t.test('an address that is not public is no failure of the target', async (t) => {
  const cases: [string, Options][] = [
    [`${target.url}/ok`, { deps: strict }],
    ['http://target.test/', { deps: { ...strict, lookup: lookupTo('10.0.0.1') } }],
  ];
  for (const [url, options] of cases) {
    const message =
      /^The host leads to .* under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on\.$/;
    await t.rejects(check(url, options), { name: 'ProbeError', unobserved: 'blocked', message }, url);
  }
  await t.rejects(check('http://169.254.169.254/latest/meta-data/', { deps: strict }), {
    ...{ name: 'ProbeError', unobserved: 'metadata' },
    message: /^The host leads to the metadata service of a cloud, .*; it is always refused\.$/,
  });
});

t.test('a name that cannot be looked up is a failure while name servers answer at all', async (t) => {
  const silent: LookupFunction = () => {};
  const cases: [LookupFunction, 'dns' | 'timeout'][] = [
    [failWith('ETIMEOUT'), 'dns'],
    [failWith('ECONNREFUSED'), 'dns'],
    [failWith('ESERVFAIL'), 'dns'],
    [silent, 'timeout'],
  ];
  for (const [lookup, error] of cases) {
    const ask = (answer: boolean) =>
      check('http://target.test/', {
        timeoutMs: 60,
        deps: { ...open, lookup, nameServersAnswer: async () => answer },
      });
    t.match(await ask(true), { ok: false, error });
    await t.rejects(ask(false), {
      unobserved: 'internal',
      message: 'No name server of this machine answers.',
    });
  }
  const deps = { ...open, nameServersAnswer: async () => false };
  const absent = { ...deps, lookup: failWith('ENOTFOUND') };
  t.match(await check('http://target.test/', { deps: absent }), { error: 'dns' }, 'this is an answer');
  t.match(await check(`${target.url}/slow`, { timeoutMs: 60, deps }), { error: 'timeout' });
});

t.test('at most 64 KiB of a body are read', async (t) => {
  // The body never ends, so reading all of it would time out.
  t.match(await check(`${target.url}/endless`, { expectBody: 'needle' }), { ok: true });
  t.match(await check(`${target.url}/endless`, { expectBody: 'haystack' }), { error: 'body' });
});

t.test('a certificate that expires soon fails with its own class', async (t) => {
  const tls = await startProbeTarget(t, { tls: true });
  const endsAt = Date.parse('2126-10-28T14:10:55Z');
  const at = (days: number, tlsExpiryDays: number | null) => {
    const clock = { now: () => endsAt - days * 86_400_000 - 1_000 };
    return check(`${tls.url}/ok`, {
      tlsExpiryDays,
      deps: { ...open, trustedCertificates: selfSigned.cert, clock },
    });
  };
  t.match(await at(14, 14), { ok: true, error: null, certificateEndsAt: endsAt });
  const expiring = await at(13, 14);
  t.match(expiring, {
    ok: false,
    error: 'tls-expiring',
    detail: 'The certificate ends in 13 days.',
    status: 200,
  });
  t.ok((expiring.tlsMs ?? 0) > 0);
  t.match(await at(13, null), { ok: true });
});

t.test('a redirect passes the filter, and headers and body go to the original origin only', async (t) => {
  const other = await startProbeTarget(t);
  const secret = {
    headers: [['Authorization', 'Bearer secret']] as const,
    method: 'POST' as const,
    body: 'secret',
  };
  target.received.length = 0;
  t.match(await check(`${target.url}/temporary`, secret), { ok: true });
  t.match(target.received[1], {
    method: 'POST',
    path: '/ok',
    headers: { authorization: 'Bearer secret' },
    body: 'secret',
  });
  t.match(await check(`${target.url}/see-other`, secret), { ok: true });
  t.match(target.received[3], {
    method: 'GET',
    path: '/ok',
    headers: { authorization: 'Bearer secret' },
    body: '',
  });
  t.match(await check(`${target.url}/to?${encodeURIComponent(`${other.url}/ok`)}`, secret), { ok: true });
  t.match(other.received, [{ method: 'GET', path: '/ok', body: '' }]);
  t.equal(other.received[0]?.headers.authorization, undefined);
  const expected = await check(`${target.url}/temporary`, { expectStatus: '307' });
  t.match(expected, { ok: true, status: 307 }, 'an expected redirect is not followed');

  const deps = {
    ...strict,
    guard: (address: string) => (address === '127.0.0.1' ? undefined : strict.guard(address)),
    lookup: lookupTo('127.0.0.2'),
  };
  const inward = `${target.url}/to?${encodeURIComponent('https://inside.test/')}`;
  await t.rejects(check(inward, { deps }), { name: 'ProbeError', unobserved: 'blocked' });
});

t.test('an aborted check has no outcome', async (t) => {
  const ending = new AbortController();
  const full = {
    url: `${target.url}/slow`,
    timeoutMs: 5_000,
    options: httpDefaults,
    secrets: { headers: [], body: null },
  };
  const before = target.received.length;
  const checking = checkHttp(open, full, ending.signal);
  await waitUntil('it arrived', () => target.received.length > before);
  ending.abort(new Error('Enough.'));
  await t.rejects(checking, { message: 'Enough.' });
});
