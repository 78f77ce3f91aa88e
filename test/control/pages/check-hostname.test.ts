import t from 'tap';
import { checkHostname } from '../../../control/pages/index.js';
import type { Egress } from '../../../lib/outbound/egress.js';
import { EgressError } from '../../../lib/outbound/egress-error.js';
import type { HostRecords } from '../../../lib/outbound/host-records.js';

const page = { slug: 'acme', hostname: 'status.acme.example' };
const none: HostRecords = { cname: [], a: [], aaaa: [] };
const records: Record<string, HostRecords> = {
  'heartline.example': { ...none, a: ['192.0.2.1'] },
  'alias.example': { cname: ['Heartline.example.'], a: ['192.0.2.1'], aaaa: [] },
  'same.example': { ...none, a: ['192.0.2.7', '192.0.2.1'] },
  'elsewhere.example': { ...none, a: ['192.0.2.9'] },
  'none.example': none,
  'status.acme.example': { ...none, a: ['198.51.100.1'] },
};

function check(hostname: string, answer: { status: number; text: string } | EgressError) {
  const asked: string[] = [];
  const egress: Egress = {
    async send({ url }) {
      asked.push(url);
      if (answer instanceof EgressError) throw answer;
      const body = { bytes: Buffer.from(answer.text), isCut: false };
      return { status: answer.status, location: undefined, retryAfter: undefined, body };
    },
  };
  const recordsOf = async (name: string) => {
    const found = records[name];
    if (found === undefined) throw Object.assign(new Error('silent'), { code: 'ETIMEOUT' });
    return found;
  };
  const deps = {
    recordsOf,
    egress,
    serviceHostname: 'heartline.example',
    originOf: (name: string) => `https://${name}`,
  };
  return checkHostname(deps, { hostname, page }).then((result) => ({ ...result, asked }));
}

const refused = new EgressError('connection', 'The connection failed (ECONNREFUSED).', 'ECONNREFUSED');

t.test('records say where a name leads when nothing answers', async (t) => {
  t.match(await check('alias.example', refused), { isPointedHere: true, answers: 'nothing' });
  t.match(await check('same.example', refused), { isPointedHere: true, answers: 'nothing' });
  t.match(await check('elsewhere.example', refused), {
    ...{ isPointedHere: false, answers: 'nothing', detail: /ECONNREFUSED/ },
  });
  t.match(await check('none.example', refused), { isPointedHere: false, detail: /no record in DNS yet/ });
  t.match(await check('silent.example', refused), { isPointedHere: null, records: none });
});

t.test('an answer counts more than records: the name may lead here through others', async (t) => {
  const embed = JSON.stringify({ name: 'Acme', url: 'https://status.acme.example/en/' });
  t.match(await check(page.hostname, { status: 200, text: embed }), {
    ...{ isPointedHere: true, answers: 'this page', asked: ['https://status.acme.example/embed.json'] },
  });
  const hint = JSON.stringify({
    error: 'notFound',
    hint: 'This page is served at https://status.acme.example/',
  });
  t.match(await check('elsewhere.example', { status: 404, text: hint }), {
    ...{ isPointedHere: true, answers: 'nothing' },
    asked: ['https://elsewhere.example/api/public/acme/summary'],
  });
});

t.test('another server, and another page', async (t) => {
  for (const text of ['<h1>Parked</h1>', 'null', '[]', '{"url":5}', '{"url":"https://other.example/en/"}']) {
    t.match(
      await check(page.hostname, { status: 200, text }),
      { isPointedHere: false, answers: 'another' },
      text,
    );
  }
  t.match(await check('alias.example', { status: 404, text: '{}' }), { answers: 'another' });
});

t.test('what leads to our network stays secret', async (t) => {
  const secret = new EgressError('address', 'The host leads to an address that is not public.');
  t.match(await check('elsewhere.example', secret), { isPointedHere: null, records: none });
  const metadata = new EgressError('metadata', 'The host leads to the metadata service of a cloud.');
  t.match(await check('elsewhere.example', metadata), { isPointedHere: null, records: none });
});
