import t from 'tap';
import { listKeys } from '../../../control/keys/index.js';
import { tickingClock } from '../../support/clocks.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('a list has the keys of one page, oldest first, without their secrets', async (t) => {
  const { sql } = await openTestPostgres(t);
  const acme = await makePage(sql, { slug: 'acme' });
  await makePage(sql, { slug: 'other' });
  const deps = { sql, clock: tickingClock(Date.UTC(2026, 0, 1)) };
  const first = await makeKey(deps, { slug: 'acme', scope: 'read' });
  await makeKey(deps, { slug: 'other', scope: 'read' });
  const second = await makeKey(deps, { slug: 'acme', scope: 'incident' });
  t.strictSame(await listKeys({ sql }, acme.id), [
    {
      id: first.id,
      pageId: acme.id,
      scope: 'read',
      displayPrefix: first.key.slice(0, 'key_read_'.length + 4),
      createdAt: new Date('2026-01-01T00:00:01.000Z'),
      lastUsedAt: null,
      revokedAt: null,
    },
    {
      id: second.id,
      pageId: acme.id,
      scope: 'incident',
      displayPrefix: second.key.slice(0, 'key_live_'.length + 4),
      createdAt: new Date('2026-01-01T00:00:03.000Z'),
      lastUsedAt: null,
      revokedAt: null,
    },
  ]);
});
