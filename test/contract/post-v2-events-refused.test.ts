import t from 'tap';
import { testRefusals } from '../support/event-route-refusals.js';
import { startTestService } from '../support/service.js';

const path = '/api/v2/events';
const api = await startTestService(t);
const reporter = { reporterId: 'worker-1', englishName: 'Worker 1' };

async function refusal(body: unknown): Promise<string> {
  const { status, body: answer } = await api.post(path, JSON.stringify(body));
  return `${status} ${JSON.stringify(answer)}`;
}

t.test('400: no reporter', async (t) => {
  const expected =
    '400 {"error":"The body must be an object with a \\"reporter\\" object; /api/v1/events takes events without one.","code":"reporter.missing"}';
  for (const body of [
    [],
    {},
    { events: [] },
    { reporter: null, events: [] },
    { reporter: [], events: [] },
    7,
    null,
  ]) {
    t.equal(await refusal(body), expected, JSON.stringify(body));
  }
});

t.test('400: no event array', async (t) => {
  const expected =
    '400 {"error":"The body must have an \\"events\\" array; send an empty one as a heartbeat.","code":"reporter.events_missing"}';
  for (const events of [undefined, null, {}, 'none']) t.equal(await refusal({ reporter, events }), expected);
});

t.test('400: an invalid reporter, named by its path', async (t) => {
  const long = 'x'.repeat(201);
  const cases: [object, string][] = [
    [{ englishName: 'W' }, '/reporter/reporterId'],
    [{ reporterId: 'w' }, '/reporter/englishName'],
    [{ ...reporter, reporterId: 7 }, '/reporter/reporterId'],
    [{ ...reporter, reporterId: '' }, '/reporter/reporterId'],
    [{ ...reporter, reporterId: ' ' }, '/reporter/reporterId'],
    [{ ...reporter, reporterId: 'a\u0000b' }, '/reporter/reporterId'],
    [{ ...reporter, reporterId: long }, '/reporter/reporterId'],
    [{ ...reporter, reporterId: null }, '/reporter/reporterId'],
    [{ ...reporter, englishName: '\t' }, '/reporter/englishName'],
    [{ ...reporter, englishName: long }, '/reporter/englishName'],
    [{ ...reporter, region: 7 }, '/reporter/region'],
    [{ ...reporter, region: 'eu\n' }, '/reporter/region'],
    [{ ...reporter, team: [] }, '/reporter/team'],
    [{ ...reporter, service: 7 }, '/reporter/service'],
    [{ ...reporter, service: 'x'.repeat(61) }, '/reporter/service'],
    [{ ...reporter, service: 'sea\u0000rch' }, '/reporter/service'],
    [{ ...reporter, expectedEverySeconds: 14 }, '/reporter/expectedEverySeconds'],
    [{ ...reporter, expectedEverySeconds: 301 }, '/reporter/expectedEverySeconds'],
    [{ ...reporter, expectedEverySeconds: 60.5 }, '/reporter/expectedEverySeconds'],
    [{ ...reporter, expectedEverySeconds: '60' }, '/reporter/expectedEverySeconds'],
    [JSON.parse('{"__proto__":{"reporterId":"w","englishName":"W"}}'), '/reporter/reporterId'],
  ];
  for (const [bad, place] of cases) {
    const answer = await api.post(path, { reporter: bad, events: [{ endpoint: '/a', status: 200 }] });
    t.equal(answer.status, 400, JSON.stringify(bad).slice(0, 100));
    const { error } = answer.body as { error: string };
    t.ok(error.startsWith(`${place} `), error);
    t.ok(error.endsWith('.') && !error.includes('\n'), 'one sentence');
  }
});

t.test('nothing of a refused reporter is stored', async (t) => {
  const { sql } = api.stores;
  t.strictSame([...(await sql`SELECT source FROM sources`)], []);
});

await testRefusals(t, api, path, (events) => ({ reporter, events }));
