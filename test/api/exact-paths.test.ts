import t from 'tap';
import { openConnection } from '../support/raw-http.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);

/** Sends the bytes of a request target as they are, and returns the status and the body. */
async function ask(target: string, method = 'GET'): Promise<{ status: number; body: string }> {
  const connection = await openConnection(t, api.url);
  const head = `${method} ${target} HTTP/1.1\r\nhost: product.example\r\nconnection: close\r\n\r\n`;
  connection.send(Buffer.from(head, 'latin1'));
  const [top = '', body = ''] = (await connection.readToEnd()).split('\r\n\r\n', 2);
  return { status: Number(top.split(' ')[1]), body };
}

/** Other ways to write the first letter, the slashes and the end of a path. */
function otherForms(path: string): string[] {
  const name = path.slice(1);
  const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  return [
    ...[`${path}/`, `${path}//`, `/${path}`, `/.${path}`, `/x/..${path}`, `${path}/.`],
    ...[path.toUpperCase(), `/${name[0]?.toUpperCase()}${name.slice(1)}`, `/${encoded}`, `/%2F${name}`],
    ...[`${path};x`, `${path}%20`, `${path}%00`, `${path}%2f`, `${path}%3f`, `${path}.json`, `${path}\\`],
    ...[
      `${path}#x`,
      `${path}\xa0`,
      `\\${name}`,
      `http://h${path}/`,
      `http://h${path}#x`,
      `http://h\\${name}`,
    ],
    ...[`http://[x${path}`, `http:${path}`, `//h${path}`],
  ];
}

t.test('only the exact path of the health routes is answered', async (t) => {
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    for (const form of [path, `${path}?x=1`, `http://h${path}`]) t.equal((await ask(form)).status, 200, form);
    for (const form of otherForms(path)) {
      const { status, body } = await ask(form);
      t.ok([400, 404].includes(status), `${JSON.stringify(form)}: ${status}`);
      t.notMatch(body, /heartline_|"checks"|"ok"/, form);
    }
  }
});

t.test('and so with a route that takes a key', async (t) => {
  const path = '/api/v1/events';
  t.equal((await ask(path, 'POST')).status, 401);
  for (const form of otherForms(path)) {
    const { status } = await ask(form, 'POST');
    t.ok([400, 404, 405].includes(status), `${JSON.stringify(form)}: ${status}`);
  }
});

t.test('a path that is guessed for events is answered with the right one', async (t) => {
  const v2 = 'POST /api/v2/events takes those of a reporter.';
  const v1 = `POST /api/v1/events takes events; ${v2}`;
  const wrong: unknown[] = [];
  for (const [method, path, hint] of [
    ['POST', '/events', v1],
    ['POST', '/events/', v1],
    ['POST', '/event', v1],
    ['POST', '/api/events', v1],
    ['POST', '/api/events?x=1', v1],
    ['POST', '/v1/events', v1],
    ['POST', '/v2/events', v2],
    ['POST', '/api/v1/event', v1],
    ['GET', '/api/events', v1],
    ['PUT', '/v1/Events', v1],
  ] as const) {
    const { status, body } = await ask(path, method);
    if (status !== 404 || JSON.parse(body).hint !== hint) wrong.push([method, path, status, body]);
  }
  t.strictSame(wrong, []);
  t.equal((await ask('/api/v1/events')).status, 405);
  t.notMatch((await ask('/events')).body, /takes events/, 'a view of a page');
});

t.test('a path that differs in case or slashes is answered with the usual one', async (t) => {
  for (const [method, path, usual] of [
    ['GET', '/metrics/', '/metrics'],
    ['GET', '/METRICS', '/metrics'],
    ['GET', '//metrics', '/metrics'],
    ['GET', '/Feed.RSS', '/feed.rss'],
    ['GET', '/ping/x/', '/ping/{token}'],
    ['GET', '/api/public/acme/summary/', '/api/public/{slug}/summary'],
    ['POST', '/api/v1/events/', '/api/v1/events'],
    ['POST', '/API/v1/incidents', '/api/v1/incidents'],
    ['PATCH', '/api/v1/incidents/x/', '/api/v1/incidents/{id}'],
    ['POST', '/subscribe/', '/subscribe'],
  ] as const) {
    const { status, body } = await ask(path, method);
    t.equal(status, 404, path);
    const hint = `Addresses are exact, in lower case and without a slash at the end: ${usual}`;
    t.strictSame(JSON.parse(body), { error: 'Not found', code: 'not_found', hint }, path);
  }
});
