import t from 'tap';
import {
  createEventStoreDirectory,
  resetEventStore,
  setEventStore,
} from '../../../control/event-stores/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, by: testActor, secretKey: testSecretKey };

t.test('a directory that runs follows a new store, a changed one, and one that is taken back', async (t) => {
  const { id: pageId } = await makePage(sql);
  const directory = createEventStoreDirectory({ sql, log: silentLog, secretKey: testSecretKey });
  t.teardown(() => directory.stop());
  await directory.start();
  t.equal(directory.get(pageId), undefined);
  const set = (url: string, password: string) =>
    setEventStore(deps, { pageId, url, database: 'events', username: 'writer', password });
  const follows = (url: string | undefined, password: string | undefined) =>
    waitUntil(`the directory has ${url}`, () => {
      const store = directory.get(pageId);
      return store?.url === url && store?.password === password;
    });
  const { url: first } = await set('https://one.example:8443', 'secret-1');
  await follows(first, 'secret-1');
  const { url: second } = await set('https://two.example:8443', 'secret-1');
  await follows(second, 'secret-1');
  await set('https://two.example:8443', 'secret-2');
  await follows(second, 'secret-2');
  await resetEventStore({ ...deps, discardBatches: async () => 0 }, pageId);
  await follows(undefined, undefined);
  t.pass('each change is followed');
});
