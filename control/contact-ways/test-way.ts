import { contactWayTestEvent, type TestedContactWay } from '../../contract/manage/contact-ways.js';
import { newId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import { textsOf } from '../../web/texts/texts-of.js';
import { recordWay } from './audit-way.js';
import { countSend } from './count-sends.js';
import { loadWay } from './find-ways.js';
import { sendNow } from './send-now.js';
import { requireKind } from './sender.js';
import type { WayDeps, WayOwner } from './way-input.js';

/**
 * Sends a message that shows whether a way works, whatever its quiet hours, and returns whether it was taken.
 *
 * @throws ServiceError `notFound`; `conflict` when the way is not confirmed, and when the installation cannot send to its
 *   kind; `rateLimited` when too many tests were sent
 */
export async function testWay(deps: WayDeps, owner: WayOwner, id: string): Promise<TestedContactWay> {
  const { sql, clock, by } = deps;
  const ref = { id, userId: owner.userId };
  const way = await loadWay(deps, ref);
  if (way.confirmedAt === null) {
    throw new ServiceError('conflict', {
      message: 'The way is not confirmed; confirm it with its code first.',
    });
  }
  requireKind(deps.sender, way.kind);
  await countSend(sql, { userId: owner.userId, purpose: 'test', now: clock.now() });
  const { status, error } = await sendNow(deps, ref, () => {
    const { test } = textsOf('account-mail', owner.language ?? 'en').way;
    return { ...test, id: newId(clock.now()), event: contactWayTestEvent, language: owner.language };
  });
  const state = error === null ? 'delivered' : 'failed';
  await inTransaction(sql, (tx) =>
    recordWay(
      tx,
      { by, now: clock.now() },
      { verb: 'test', before: way, after: way, marks: { state, status } },
    ),
  );
  return { state, status, reason: error };
}
