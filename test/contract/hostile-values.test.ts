import t from 'tap';
import { openConnection } from '../support/raw-http.js';
import { startTestService, type TestService } from '../support/service.js';

const api: TestService = await startTestService(t);
const read = (path: string) => api.get(path, { authorization: `Bearer ${api.readKey}` });

/** Texts that are tried at the same time. */
const atOnce = 4;

/** Texts that stores or drivers may stumble over. */
const texts = [
  ...Array.from({ length: 0x21 }, (_, code) => String.fromCharCode(code)),
  ...['\x7f', '\x85', '\xa0', '\ufeff', '\ufffe', '\u2028', '\ud800', '\udc00\ud800', '𝒳'.repeat(500)],
  ...["'", '"', '\\', "\\'", '`', '{a:String}', '%', '_', '\\0', '\\N', "']", '(', '--', '/*', '$1', '?'],
].flatMap((text) => [text, `a${text}b`]);

t.test('no value of a parameter makes a store fail', async (t) => {
  const statuses = new Set<number>();
  const wrong: string[] = [];
  const tryText = async (text: string): Promise<void> => {
    const value = encodeURIComponent(text.toWellFormed());
    for (const [route, names] of [
      ['requests', ['service', 'endpoint', 'method']],
      ['messages', ['service', 'endpoint']],
      ['top', ['search']],
      ['calls', ['reporter']],
      ['monitors', ['q']],
    ] as const) {
      for (const name of names) {
        const { status } = await read(`/api/v1/analytics/${route}?${name}=${value}`);
        statuses.add(status);
        if (status >= 500) wrong.push(`${route} ${name} ${JSON.stringify(text)}: ${status}`);
      }
    }
  };
  for (let from = 0; from < texts.length; from += atOnce) {
    await Promise.all(texts.slice(from, from + atOnce).map(tryText));
  }
  t.strictSame(wrong, []);
  t.strictSame([...statuses].sort(), [200, 400]);
});

t.test('nor does any path', async (t) => {
  const wrong: string[] = [];
  for (const text of ['%00', 'a%00b', '%FF', '%ED%A0%80', '%EF%BF%BE', "'", '%27', '%5C', '%0A']) {
    for (const [method, path] of [
      ['GET', `/ping/${text}`],
      ['GET', `/logo/${text}`],
      ['GET', `/api/public/${text}/summary`],
      ['GET', `/api/public/${text}/incidents`],
      ['GET', `/incidents/${text}`],
      ['GET', `/history/${text}`],
      ['GET', `/badge/${text}.svg`],
      ['GET', `/assets/${text}`],
      ['GET', `/${text}/`],
      ['PATCH', `/api/v1/incidents/${text}`],
      ['GET', `/subscribers/confirm?token=${text}`],
    ] as const) {
      const connection = await openConnection(t, api.url);
      connection.send(
        `${method} ${path} HTTP/1.1\r\nhost: acme.localhost\r\nauthorization: Bearer ${api.incidentKey}\r\n` +
          'connection: close\r\ncontent-length: 2\r\n\r\n{}',
      );
      const [, status] = (await connection.readToEnd()).split(' ');
      if (!(Number(status) < 500)) wrong.push(`${method} ${path}: ${status}`);
    }
  }
  t.strictSame(wrong, []);
});

t.test('names as long as they may be can be read back', async (t) => {
  const long = (i: number, chars: number) => `${i}`.padStart(4, '0') + '𝒳'.repeat(chars - 4);
  const endpoints = Array.from({ length: 200 }, (_, i) => ({ endpoint: `/${long(i, 199)}`, status: 200 }));
  t.match(await api.post('/api/v1/events', endpoints), { status: 202, body: { rejected: 0 } });
  const services = Array.from({ length: 1_000 }, (_, i) => ({
    ...{ service: long(i, 60), endpoint: '/a', status: 200 },
  }));
  t.match(await api.post('/api/v1/events', services), { status: 202, body: { rejected: 0 } });
  for (const path of [
    'requests?groupBy=endpoint&limit=200',
    'requests?groupBy=service&limit=200',
    `requests?endpoint=${encodeURIComponent(`/${long(1, 199)}`)}`,
    'reporters',
    'messages',
  ]) {
    const { status, body } = await read(`/api/v1/analytics/${path}`);
    t.equal(status, 200, `${path.slice(0, 40)}: ${JSON.stringify(body).slice(0, 200)}`);
  }
});
