import t from 'tap';
import type { Acknowledgement } from '../../../contract/events.js';
import { noteSeenVersions } from '../../../control/deployments/index.js';
import { type AcceptDeps, handEvents, handReport } from '../../../ingest/accept-events.js';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import { createCumulativeCommit } from '../../../ingest/cumulative/cumulative-commit.js';
import { createNameRegistry } from '../../../ingest/names/name-registry.js';
import { untilNamed } from '../../../ingest/names/until-named.js';
import { createVersionRegistry } from '../../../ingest/names/version-registry.js';
import { createPostgresCommit } from '../../../ingest/postgres/postgres-commit.js';
import { createSpareBatches } from '../../../ingest/read/batch.js';
import { createBatchReader } from '../../../ingest/read/read-batch.js';
import { systemClock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { createMetrics } from '../../../service/metrics.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { fillNames } from '../../support/fill-names.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const reader = createBatchReader({ onTrap: (error) => t.fail(String(error)) });
const deps = { sql, clock: systemClock, log: silentLog };
const { commit: metrics, ingest: counts } = createMetrics();
const store = makeControlledStore();
const commitDeps = { store, buffer: createDeliveryBuffer(deps, 'default'), log: silentLog, metrics };
const [commit, cumulative] = [createPostgresCommit(commitDeps), createCumulativeCommit(commitDeps)];
t.teardown(() => commit.close());

/** Counts the batches that are in use, and the most at a time. */
function countBatches() {
  const spare = createSpareBatches();
  const counted = {
    inUse: 0,
    most: 0,
    take() {
      counted.inUse += 1;
      counted.most = Math.max(counted.most, counted.inUse);
      return spare.take();
    },
    giveBack(batch: ReturnType<typeof spare.take>) {
      counted.inUse -= 1;
      spare.giveBack(batch);
    },
  };
  return counted;
}

function start(clock = systemClock) {
  const spare = countBatches();
  const registry = createNameRegistry({ sql, clock });
  const versions = createVersionRegistry({ sql, clock, log: silentLog, noteVersions: noteSeenVersions });
  const accept: AcceptDeps = {
    ...{ spare, registry, versions, reader, metrics: counts, rejections: { add() {}, addUnread() {} } },
    commitOf: () => commit,
    postgresCommitOf: () => commit,
    cumulativeCommitOf: () => cumulative,
  };
  const post = async (pageId: PageId, sent: object): Promise<Acknowledgement> => {
    const answerBy = performance.now() + 60_000;
    const incoming = { pageId, body: [Buffer.from(JSON.stringify(sent))], at: Date.now(), answerBy };
    const { answer } = await ('reporter' in sent
      ? handReport(accept, incoming)
      : handEvents(accept, incoming));
    return answer;
  };
  return { spare, registry, post };
}

const eventsOf = (...endpoints: string[]) => endpoints.map((endpoint) => ({ endpoint, status: 200 }));
const reporterOf = (reporterId: string, service?: string) => ({
  ...{ reporterId, englishName: reporterId, region: 'eu', team: 'a', expectedEverySeconds: 60, service },
});

t.test(
  'bodies that wait for their names hold no batch, and count as if nothing had been waited for',
  async (t) => {
    const { id } = await makePage(sql, { slug: 'waits' });
    const { spare, post } = start();
    const answers = Array.from({ length: 30 }, (_, i) => {
      const events = eventsOf(`/${i % 7}`, `/${i}`, '/same');
      return i % 2 === 0
        ? post(id, {
            events: [...events.map((event) => ({ ...event, service: `s${i % 5}` })), { status: 200 }],
          })
        : post(id, { reporter: reporterOf(`r${i % 5}`, 'shop'), events });
    });
    t.strictSame(spare, { ...spare, inUse: 0, most: 1 });
    const counted = (await Promise.all(answers)).map(({ accepted, rejected }) => `${accepted} ${rejected}`);
    t.strictSame([...new Set(counted)], ['3 1', '3 0']);
    t.strictSame(spare, { ...spare, inUse: 0, most: 1 });
  },
);

t.test(
  'names that are refused drop their events with the reason, whether or not others were granted',
  async (t) => {
    const { id } = await makePage(sql, { slug: 'full' });
    await fillNames(sql, id, { endpoints: 24_998, services: 1_998 });
    const { post } = start();
    const events = ['/a', '/b', '/c', '/a', '/known/1'].map((endpoint, i) => ({
      ...{ endpoint, status: 200, service: i < 3 ? `new-${i}` : 'service-1' },
    }));
    for (const what of ['registered', 'from memory']) {
      const answer = await post(id, { events: [...events, { endpoint: '/x', status: 700 }] });
      t.match(
        answer,
        {
          ...{ accepted: 4, rejected: 2 },
          warning: /^1 event dropped: more than 2,000 .*\(new-2\)\.$/,
          rejections: [
            { reason: 'service_limit', count: 1, firstIndex: 2 },
            { reason: 'status_invalid', count: 1, firstIndex: 5 },
          ],
        },
        what,
      );
    }
    t.match(await post(id, { events: eventsOf('/d', '/a', '/d') }), {
      ...{ accepted: 1, rejected: 2, warning: /^2 events dropped: more than 25,000 .*\(\/d\)\.$/ },
      rejections: [{ reason: 'endpoint_limit', count: 2, firstIndex: 0 }],
    });
    const refused = await post(id, { reporter: reporterOf('late'), events: eventsOf('/a') });
    t.match(refused, { accepted: 0, rejected: 1, rejections: [{ reason: 'reporter_limit', count: 1 }] });
  },
);

t.test('a page that memory does not know as full any more drops its events all the same', async (t) => {
  const { id } = await makePage(sql, { slug: 'forgotten' });
  await fillNames(sql, id, { endpoints: 25_000, services: 2_000 });
  // An hour passes between two looks, so what was learned of the page is out of date at once.
  let time = Date.now();
  const { post } = start({ now: () => (time += 3_600_000) });
  const known = { endpoint: '/known/1', status: 200, service: 'service-1' };
  const answers = [
    await post(id, { events: [{ ...known, endpoint: '/a' }, { ...known, service: 'new' }, known] }),
    await post(id, { events: [{ ...known, endpoint: '/a', service: 'new' }] }),
  ];
  t.match(answers, [
    {
      accepted: 1,
      rejections: [
        { reason: 'endpoint_limit', count: 1 },
        { reason: 'service_limit', count: 1 },
      ],
    },
    { accepted: 0, rejections: [{ reason: 'service_limit', count: 1 }] },
  ]);
});

t.test('a goodbye is stored once, although its body is read twice', async (t) => {
  const { id } = await makePage(sql, { slug: 'goodbye' });
  const { post, registry } = start();
  let stored = 0;
  const { reporter } = registry;
  registry.reporter = (...wanted) => {
    stored += 1;
    return reporter(...wanted);
  };
  const sent = { reporter: { ...reporterOf('r'), stopping: true }, events: eventsOf('/new') };
  t.match(await post(id, sent), { accepted: 1, rejected: 0, heartbeat: true });
  t.equal(stored, 1);
});

t.test('a body whose names disappear again and again is refused', async (t) => {
  const spare = countBatches();
  let [read, registered] = [0, 0];
  const outcome = untilNamed(spare, () => {
    read += 1;
    return {
      async register() {
        t.equal(spare.inUse, 0);
        registered += 1;
        return undefined;
      },
    };
  });
  await t.rejects(Promise.resolve(outcome), likeServiceError('storeBusy', { retryAfterSeconds: 1 }));
  t.strictSame([read, registered, spare.inUse], [6, 5, 0]);
});
