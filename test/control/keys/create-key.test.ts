import t from 'tap';
import { scopes } from '../../../contract/scopes.js';
import { systemClock } from '../../../lib/clock.js';
import { hashSecret } from '../../../lib/secrets.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock };

for (const scope of scopes) {
  t.test(`only the hash and the first digits of a ${scope} key are stored`, async (t) => {
    const page = await makePage(sql, { slug: `page-${scope}` });
    const created = await makeKey(deps, { slug: page.slug, scope });
    t.equal(created.scope, scope);
    const [row] = await sql`select *, keys::text as whole_row from keys where id = ${created.id}`;
    t.match(row, { page_id: page.id, scope, last_used_at: null, revoked_at: null });
    t.equal(row?.['secret_hash'].toString('hex'), hashSecret(created.key));
    t.equal(row?.['display_prefix'], created.key.slice(0, -39));
    t.notMatch(row?.['whole_row'], created.key.slice(-39), 'the key itself is nowhere in the row');
  });
}

t.test('a key cannot be deleted', async (t) => {
  await t.rejects(sql`delete from keys`, { message: /^a key is revoked, not deleted/ });
});
