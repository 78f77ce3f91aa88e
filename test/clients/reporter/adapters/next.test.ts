import { heartline } from '@heartline/reporter/next';
import t from 'tap';
import { createRecorder } from './support.js';

/** The third tier builds an application of the current version. */
const { reporter, take, events } = createRecorder();

t.test('counts what earlier versions of Next.js throw, and passes it on', async (t) => {
  const request = new Request('http://127.0.0.1/');
  const withHeartline = heartline(reporter);
  for (const [digest, status] of [
    ['NEXT_NOT_FOUND', 404],
    ['NEXT_REDIRECT;replace;/to', 307],
    ['NEXT_REDIRECT;push;/to;with;308;', 308],
    ['NEXT_HTTP_ERROR_FALLBACK;403', 403],
    ['1234567', 500],
  ] as const) {
    const error = Object.assign(new Error(digest), { digest });
    const fail = (_request: Request): Response => {
      throw error;
    };
    t.throws(() => withHeartline('/to', fail)(request.clone()), error);
    await t.rejects(withHeartline('/to', async (one: Request) => fail(one))(request.clone()), error);
    t.strictSame(
      (await take(2)).map((event) => event.status),
      [status, status],
      digest,
    );
  }
  const building = Object.assign(new Error('dynamic'), { digest: 'DYNAMIC_SERVER_USAGE' });
  await t.rejects(withHeartline('/to', (_request: Request) => Promise.reject(building))(request), building);
  t.strictSame(events, [], 'while pages are built, nothing is counted');
});
