import t from 'tap';
import { beginTotp, confirmTotp, createUser, signIn } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openAccountBrowser, textIn, valueIn } from '../../support/account-pages.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { cheapPasswords } from '../../support/passwords.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { silentLog } from '../../support/silent-log.js';
import { totpCode } from '../../support/totp.js';

const { log, text } = captureLog();
const service = await startTestService(t, { roles: withoutJobs, log });
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const passwords = cheapPasswords();
const password = 'violet harbour tin lamp';
await createUser(
  { ...deps, passwords },
  { email: 'ann@example.com', name: 'Ann <b>Lee', password, isAdmin: true },
);

t.test('200: the form, with what password managers need', async (t) => {
  const { status, headers, html } = await openAccountBrowser(service).get('/manage/sign-in');
  t.equal(status, 200);
  t.match(html, /<input[^>]*id="email"[^>]*autocomplete="username"/);
  t.match(html, /<input[^>]*id="password"[^>]*autocomplete="current-password"/);
  t.notMatch(html, /forgot|provider/, 'no mail server, no identity provider');
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('x-frame-options'), 'DENY');
  t.match(
    headers.get('content-security-policy'),
    /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'(?:;|$)/,
  );
  t.notMatch(html, /\sstyle=|\son\w+=|<script>|<style/);
});

t.test('303: signing in, who it is, and signing out', async (t) => {
  const browser = openAccountBrowser(service);
  const away = await browser.get('/manage');
  t.match([away.status, away.headers.get('location')], [303, '/manage/sign-in']);
  const signedIn = await browser.post('/manage/sign-in', { email: 'ANN@example.com', password });
  t.match([signedIn.status, signedIn.headers.get('location')], [303, '/manage']);
  t.match(
    signedIn.cookie,
    /^heartline-session=[0-9A-Za-z]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/,
  );
  const home = await browser.get('/manage');
  t.equal(home.status, 200);
  t.match(home.html, `"port":${new URL(service.url).port}`, 'where a proxy has to lead');
  t.match(home.html, String.raw`Ann \u003cb>Lee`);
  t.match(home.html, /"slug":"acme"/, 'an admin sees every page');
  t.equal((await browser.get('/manage/sign-in')).status, 303, 'the form is behind');
  const { cookie } = await browser.get('/manage');
  t.equal(cookie, '');
  const out = await browser.post('/manage/sign-out', {});
  t.match(
    [out.status, out.headers.get('location'), out.session],
    [303, '/manage/sign-in?done=signed-out', ''],
  );
  t.match(textIn((await browser.get('/manage/sign-in?done=signed-out')).html, 'role="status"'), 'signed out');
  const again = await openAccountBrowser(service).get('/manage', {
    cookie: `heartline-session=${signedIn.session}`,
  });
  t.equal(again.status, 303, 'the session is over, not only its cookie');
});

t.test('each sign-in has a new session, whatever cookie came with it', async (t) => {
  const fixed = 'A'.repeat(43);
  const browser = openAccountBrowser(service);
  browser.cookies.set('heartline-session', fixed);
  const first = await browser.post('/manage/sign-in', { email: 'ann@example.com', password });
  t.not(first.session, fixed);
  t.equal(
    (await openAccountBrowser(service).get('/manage', { cookie: `heartline-session=${fixed}` })).status,
    303,
  );
});

t.test(
  '401: the same sentence for an unknown email and a wrong password; the email stays, the password does not',
  async (t) => {
    const browser = openAccountBrowser(service);
    const wrong = 'not my password "<x>';
    const answers = [];
    for (const email of ['ann@example.com', 'nobody@example.com']) {
      const answer = await browser.post('/manage/sign-in', { email, password: wrong });
      t.equal(answer.status, 401);
      t.equal(valueIn(answer.html, 'email'), email);
      t.notMatch(answer.html, 'not my password');
      answers.push(answer.html.replace(email, ''));
    }
    t.equal(answers[0], answers[1]);
  },
);

t.test('400: what is wrong stands beside its field', async (t) => {
  const { status, html } = await openAccountBrowser(service).post('/manage/sign-in', {
    email: 'x"><b>',
    password: '',
  });
  t.equal(status, 400);
  t.match(html, /aria-describedby="email-error"[^>]*aria-invalid="true"/);
  t.match(html, /aria-describedby="password-error"[^>]*aria-invalid="true"/);
  t.match(html, 'value="x&quot;>&lt;b>"');
});

t.test('503: a form that the service is too busy for keeps what was typed, and is sent again', async (t) => {
  const email = 'busy@example.com';
  const { id } = await createUser({ ...deps, passwords }, { email, name: 'Busy', password });
  const { sessions } = (await sql`select count(*)::int as sessions from user_sessions`)[0] ?? {};
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let lock = (): void => {};
  const locked = new Promise<void>((resolve) => {
    lock = resolve;
  });
  const holding = sql.begin(async (tx) => {
    await tx`select 1 from users where id = ${id} for update`;
    lock();
    await held;
  });
  await locked;
  const browsers = Array.from({ length: 104 }, () => openAccountBrowser(service));
  const refused: { browser: (typeof browsers)[number]; html: string; retryAfter: string | null }[] = [];
  let answered = 0;
  const answers = browsers.map(async (browser) => {
    const { status, headers, html } = await browser.post('/manage/sign-in', {
      email,
      password,
      to: '/manage?x=1',
    });
    answered += 1;
    if (status === 503) refused.push({ browser, html, retryAfter: headers.get('retry-after') });
    // Two sign-ins hold their turns, 100 wait: the others come back before the lock is gone.
    if (answered === 2) release();
    return status;
  });
  const statuses = await Promise.all(answers);
  await holding;
  const entered = statuses.filter((status) => status === 303).length;
  t.equal(entered + refused.length, 104, String(statuses));
  const [row] = await sql`select count(*)::int - ${Number(sessions)} as sessions from user_sessions`;
  t.equal(
    row?.['sessions'],
    Math.min(entered, 100),
    'a person has a hundred, and the refused ones made none',
  );
  const [first] = refused;
  t.match(first?.html, /<form[^>]*data-send-again-seconds="3"/);
  t.match(first?.html, /<script type="module" src="\/assets\/send-again\./);
  t.equal(first?.retryAfter, '3');
  t.notMatch(first?.html, password);
  const kept = valueIn(first?.html ?? '', 'kept') ?? '';
  const again = await first?.browser.post('/manage/sign-in', { kept, to: '/manage?x=1' });
  t.match([again?.status, again?.headers.get('location')], [303, '/manage?x=1']);
  const wrong = await openAccountBrowser(service).post('/manage/sign-in', { kept: `${kept}AAAA` });
  t.match([wrong.status, wrong.session], [400, undefined], 'only what the service has sealed');
});

t.test('403: another site cannot sign a browser in', async (t) => {
  const browser = openAccountBrowser(service);
  const form = { email: 'ann@example.com', password };
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '', origin: 'https://evil.example' },
    { 'sec-fetch-site': '', origin: 'null' },
  ]) {
    const { status, session, html } = await browser.post('/manage/sign-in', form, headers);
    t.match([status, session], [403, undefined], JSON.stringify(headers));
    t.equal(valueIn(html, 'email'), undefined, 'nothing of what was sent is shown');
  }
});

t.test('to leads to local paths only', async (t) => {
  const cases: [string, string][] = [
    ['/manage?from=now-6h#x', '/manage?from=now-6h#x'],
    ['//evil.example/', '/manage'],
    ['/\\evil.example', '/manage'],
    ['https://evil.example/', '/manage'],
    ['/a\nset-cookie: x', '/manage'],
    ['/./\t/evil', '/manage'],
  ];
  for (const [to, where] of cases) {
    const form = { email: 'ann@example.com', password, to };
    const { headers } = await openAccountBrowser(service).post('/manage/sign-in', form);
    t.equal(headers.get('location'), where, to);
  }
});

t.test('404: on the host of a status page there is nothing; on loopback names there is', async (t) => {
  await makePage(sql, { slug: 'demo', hostname: 'localhost' });
  for (const path of ['/manage', '/manage/sign-in', '/manage/setup', '/manage/invitation', '/manage/reset']) {
    const { status, html } = await openAccountBrowser(service, 'acme.localhost').get(path);
    t.equal(status, 404, path);
    t.notMatch(html, '<form method="post" action="/manage');
  }
  const form = { email: 'ann@example.com', password };
  const answer = await openAccountBrowser(service, 'acme.localhost').post('/manage/sign-in', form);
  t.match([answer.status, answer.session], [404, undefined]);
  for (const host of ['127.0.0.1', '192.168.1.10', '[fd00::10]']) {
    t.equal((await openAccountBrowser(service, host).get('/manage/sign-in')).status, 200, host);
  }
});

t.test('404: without BASE_URL, under a name that a page may get, with what to set', async (t) => {
  const browser = openAccountBrowser(service, 'heartline.lan:8080');
  for (const path of ['/manage', '/manage/sign-in', '/manage/pages/acme', '/manage/nowhere']) {
    const { status, html } = await browser.get(path);
    t.equal(status, 404, path);
    t.match(html, '<h1>The dashboard is not open under this name</h1>', path);
    t.match(html, '<code>BASE_URL=http://heartline.lan:8080</code>', path);
  }
  t.match(
    (await browser.get('/manage?lang=de', { 'accept-language': 'de' })).html,
    'BASE_URL ist das Dashboard unter',
  );
  const form = { email: 'ann@example.com', password };
  const answer = await browser.post('/manage/sign-in', form);
  t.match([answer.status, answer.session], [404, undefined]);
  const program = await requestAt(service.url, 'heartline.lan', '/manage', {
    headers: { accept: 'application/json' },
  });
  t.match(program.body, { hint: /^Without BASE_URL .* Set BASE_URL=http:\/\/heartline\.lan and start/ });
});

t.test(
  '303: another name of this machine leads to the one that the service prints, which has the session',
  async (t) => {
    const { port } = new URL(service.url);
    const to = '/manage/sign-in?to=%2Fmanage%2Finstallation';
    const found = await Promise.all(
      [`localhost:${port}`, '[::1]:9000', '127.0.0.2'].map(async (host) => {
        const { status, headers } = await openAccountBrowser(service, host).get(to);
        return [status, headers.get('location')];
      }),
    );
    t.strictSame(found, [
      [303, `http://127.0.0.1:${port}${to}`],
      [303, `http://127.0.0.1:9000${to}`],
      [303, `http://127.0.0.1${to}`],
    ]);
    const signedIn = openAccountBrowser(service, 'localhost');
    signedIn.cookies.set('heartline-session', 'a'.repeat(43));
    t.equal((await signedIn.get('/manage/sign-in')).status, 200, 'a session stays where it is');
    const behindProxy = { 'x-forwarded-for': '203.0.113.9' };
    t.equal((await openAccountBrowser(service, 'localhost').get('/manage/sign-in', behindProxy)).status, 200);
  },
);

t.test('404: an unknown address stays in the dashboard, after the sign-in', async (t) => {
  const browser = openAccountBrowser(service);
  for (const path of ['/manage/nowhere', '/manage/pages/acme/nowhere', '/manage/pages/acme/monitors/api']) {
    const { status, headers } = await browser.get(path);
    t.match([status, headers.get('location')], [303, `/manage/sign-in?to=${encodeURIComponent(path)}`]);
  }
  await browser.post('/manage/sign-in', { email: 'ann@example.com', password });
  for (const path of ['/manage/nowhere', '/manage/pages/acme/nowhere', '/manage/pages/acme/monitors/api']) {
    const { status, html, headers } = await browser.get(path);
    t.equal(status, 404, path);
    t.match(html, '<script type="module"');
    t.match(headers.get('content-security-policy'), "connect-src 'self'");
  }
  t.equal((await browser.get('/manage/nowhere', { accept: 'application/json' })).status, 404);
  t.equal((await openAccountBrowser(service, 'acme.localhost').get('/manage/nowhere')).session, undefined);
});

t.test('a code of the app follows the password, and works once', async (t) => {
  const email = 'tot@example.com';
  const { id } = await createUser({ ...deps, passwords }, { email, name: 'Tot', password });
  const own = { sql, clock: systemClock, log: silentLog, by: testActor, secretKey: testSecretKey };
  const begin = { userId: id, password, address: '127.0.0.1' };
  await beginTotp({ ...own, passwords }, begin);
  const { secret } = await beginTotp({ ...own, passwords }, begin);
  const now = Date.now();
  const { sessionId } = await signIn(
    { ...own, passwords },
    { email, password, address: '127.0.0.1', userAgent: '' },
  );
  const { recoveryCodes } = await confirmTotp(own, { userId: id, sessionId, code: totpCode(secret, now) });

  const browser = openAccountBrowser(service);
  const asked = await browser.post('/manage/sign-in', { email, password, to: '/manage?x=1' });
  t.match([asked.status, asked.session], [200, undefined]);
  t.match(asked.html, /<input[^>]*id="code"[^>]*autocomplete="one-time-code"/);
  t.notMatch(asked.html, password);
  const pending = valueIn(asked.html, 'pending') ?? '';
  const to = valueIn(asked.html, 'to') ?? '';

  const used = await browser.post('/manage/sign-in/code', { pending, to, code: totpCode(secret, now) });
  t.match([used.status, used.session], [401, undefined], 'the code that confirmed the app');
  t.match(used.html, /id="code-error"/);
  const code = totpCode(secret, now + 30_000);
  const entered = await browser.post('/manage/sign-in/code', {
    pending,
    to,
    code: `${code.slice(0, 3)} ${code.slice(3)}`,
  });
  t.match([entered.status, entered.headers.get('location')], [303, '/manage?x=1']);
  const replayed = await browser.post('/manage/sign-in/code', { pending, to, code });
  t.match([replayed.status, replayed.session], [401, undefined], 'a code works once');
  const recovery = recoveryCodes[0] ?? '';
  t.equal((await browser.post('/manage/sign-in/code', { pending, to, code: recovery })).status, 303);

  for (const other of ['', 'x', pending.slice(0, -4), `${pending}AAAA`]) {
    const answer = await browser.post('/manage/sign-in/code', { pending: other, code });
    t.match([answer.status, answer.session], [400, undefined], 'what was not sealed here');
    t.match(textIn(answer.html, 'role="alert"'), 'Sign in again');
  }
});

t.test('429: after ten failures, in minutes', async (t) => {
  const browser = openAccountBrowser(service);
  let last = await browser.post('/manage/sign-in', { email: 'cid@example.com', password: 'x' });
  for (let i = 0; i < 11; i += 1)
    last = await browser.post('/manage/sign-in', { email: 'cid@example.com', password: 'x' });
  t.equal(last.status, 429);
  t.ok(Number(last.headers.get('retry-after')) > 0);
  t.match(textIn(last.html, 'role="alert"'), /again in 1[45] minutes/);
});

t.test('no log has a password, a session or a code', async (t) => {
  for (const secret of [password, 'not my password']) t.notOk(text().includes(secret));
  t.notMatch(text(), /[?#&](?:to|token)=/);
});
