import t from 'tap';
import { createShare, deleteBoard, listShares, openShare, putBoard } from '../../../control/boards/index.js';
import { minuteMs } from '../../../lib/times.js';
import { removePageRows } from '../../../sql/remove-page-rows.js';
import { testActor } from '../../support/actor.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const now = Date.parse('2027-01-31T12:00:00Z');
const deps = { sql, clock: { now: () => now }, by: testActor };
const { id: pageId } = await makePage(sql);
const { id: otherId } = await makePage(sql, { slug: 'other' });
const ref = { pageId, slug: 'checkout' };

t.test('a link opens its board until the moment at which it ends', async (t) => {
  const { board } = await putBoard(deps, { ...ref, name: 'Checkout', tiles: [] });
  const expiresAt = new Date(now + minuteMs);
  const { token, share } = await createShare(deps, { ...ref, name: ' Kitchen ', expiresAt });
  t.match(share, { name: 'Kitchen', expiresAt, createdBy: { type: 'cli', name: 'test' } });
  t.strictSame(await openShare({ sql }, { token, now }), { board, expiresAt });
  t.ok(await openShare({ sql }, { token, now: now + minuteMs - 1 }));
  t.equal(await openShare({ sql }, { token, now: now + minuteMs }), undefined);
  t.equal(await openShare({ sql }, { token: `${token}x`, now }), undefined);
  t.strictSame(await listShares({ sql }, ref), [share]);
});

t.test('a board of another page with the same slug has links of its own', async (t) => {
  await putBoard(deps, { pageId: otherId, slug: 'checkout', name: 'Theirs', tiles: [] });
  t.strictSame(await listShares({ sql }, { pageId: otherId, slug: 'checkout' }), []);
  await t.rejects(listShares({ sql }, { pageId: otherId, slug: 'none' }), likeServiceError('notFound'));
});

t.test('a deleted board and a removed page leave no link', async (t) => {
  const { token } = await createShare(deps, { ...ref, name: 'Screen', expiresAt: undefined });
  await deleteBoard(deps, ref);
  t.equal(await openShare({ sql }, { token, now }), undefined);
  t.equal((await sql`select 1 from board_shares`).length, 0);
  const ended = await sql`
    select action, before ->> 'link' as link from audit_log
    where page_id = ${pageId} and target_name = 'checkout' and after is null order by id`;
  t.strictSame(
    ended.map(({ action, link }) => [action, link]),
    [
      ['board.unshare', 'Kitchen'],
      ['board.unshare', 'Screen'],
      ['board.delete', null],
    ],
    'the log has every link',
  );
  await putBoard(deps, { ...ref, name: 'Again', tiles: [] });
  await createShare(deps, { ...ref, name: 'Screen', expiresAt: undefined });
  await removePageRows(sql, { pageId, kept: ['audit_log', 'keys'] });
  t.equal(
    (await sql`select 1 from board_shares union all select 1 from boards where page_id = ${pageId}`).length,
    0,
  );
});
