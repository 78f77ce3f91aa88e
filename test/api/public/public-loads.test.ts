import t from 'tap';
import { createPublicLoads } from '../../../api/public/public-loads.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { stopTime } from '../../support/fake-time.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { silentLog } from '../../support/silent-log.js';

t.test('work that the stores do not answer for 30 s is given up, with a line in the log', async (t) => {
  const advance = stopTime(t);
  const lines: string[] = [];
  const log = { ...silentLog, warn: (_fields: object, text: string) => lines.push(text) };
  const loads = createPublicLoads({ log });
  const pageId = newId<PageId>(Date.now());
  const load = loads.run(pageId, 'few', () => new Promise(() => {})).catch((error: unknown) => error);
  await advance(31_000);
  t.match(await load, likeServiceError('storeUnavailable', { retryAfterSeconds: 2 }));
  t.match(lines, [/^Public reads were given up/]);
});
