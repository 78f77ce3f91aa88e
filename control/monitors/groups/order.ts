import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import { type Actor, recordChange } from '../../audit/index.js';
import { listGroups, lockPage } from './group.js';
import { lockMonitorsOf } from './place-monitor.js';

/** Slugs of the groups of a page, and of the monitors of each, in order; null are the monitors without a group. */
export type Order = { items: OrderItem[] };
type OrderItem = { group: string | null; monitors: string[] };

/** Loads the order of a page: the monitors without a group, even when there are none, then each group. */
export async function loadOrder({ sql }: { sql: Sql | Transaction }, pageId: PageId): Promise<Order> {
  const [groups, monitors] = await Promise.all([
    listGroups({ sql }, { pageId }),
    sql<{ slug: string; group: string | null }[]>`
      select m.slug, g.slug as group from monitors m left join monitor_groups g on g.id = m.group_id
      where m.page_id = ${pageId} order by m.position, m.slug`,
  ]);
  const itemOf = (group: string | null): OrderItem => ({
    group,
    monitors: monitors.filter((monitor) => monitor.group === group).map(({ slug }) => slug),
  });
  return { items: [null, ...groups.map(({ slug }) => slug)].map(itemOf) };
}

/**
 * Puts the groups of a page and its monitors into an order. The same order again changes nothing.
 *
 * @param check gets the order as it is, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` unless every group and every monitor is there once, and those without a group come
 *   first; `notFound` when there is no such page; what `check` throws.
 */
export async function putOrder(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, ...wanted }: Order & { pageId: PageId },
  check?: (current: Order) => void,
): Promise<Order> {
  return inTransaction(sql, async (tx) => {
    const page = await lockPage(tx, pageId);
    const before = await loadOrder({ sql: tx }, pageId);
    check?.(before);
    const after = parseOrder(before, wanted);
    if (isDeepStrictEqual(before, after)) return after;
    await lockMonitorsOf(tx, pageId);
    await writeOrder(tx, pageId, after);
    await recordChange(
      tx,
      { by, now: clock.now() },
      {
        pageId,
        action: 'page.order',
        target: { type: 'page', id: pageId, name: page.slug },
        before: { order: before.items },
        after: { order: after.items },
      },
    );
    return after;
  });
}

function parseOrder(before: Order, { items }: Order): Order {
  const groups = items.map(({ group }) => group);
  if (groups.lastIndexOf(null) > 0) throw invalid('The monitors without a group come first.');
  const whole = groups.includes(null) ? items : [{ group: null, monitors: [] }, ...items];
  const slugsOf = (order: readonly OrderItem[]) => order.flatMap(({ monitors }) => monitors);
  const groupsOf = (order: readonly OrderItem[]) => order.flatMap(({ group }) => group ?? []);
  refuseOthers('group', groupsOf(before.items), groupsOf(whole));
  refuseOthers('monitor', slugsOf(before.items), slugsOf(whole));
  return { items: whole.map(({ group, monitors }) => ({ group, monitors })) };
}

function refuseOthers(noun: 'group' | 'monitor', present: readonly string[], given: readonly string[]): void {
  const [known, named] = [new Set(present), new Set(given)];
  const unknown = given.find((slug) => !known.has(slug));
  if (unknown !== undefined) throw invalid(`The page has no ${noun} with the slug "${unknown}".`);
  const twice = given.find((slug, place) => given.indexOf(slug) !== place);
  if (twice !== undefined) throw invalid(`The ${noun} "${twice}" is there twice.`);
  const missing = present.find((slug) => !named.has(slug));
  if (missing !== undefined) throw invalid(`The ${noun} "${missing}" is missing.`);
}

async function writeOrder(tx: Transaction, pageId: PageId, { items }: Order): Promise<void> {
  const groups = items.flatMap(({ group }) => group ?? []);
  await tx`
    update monitor_groups g set position = wanted.place - 1
    from unnest(${groups}::text[]) with ordinality as wanted (slug, place)
    where g.page_id = ${pageId} and g.slug = wanted.slug and g.position <> wanted.place - 1`;
  const monitors = items.flatMap(({ group, monitors }) => monitors.map((slug) => ({ slug, group })));
  await tx`
    update monitors m set position = wanted.place - 1, group_id = g.id
    from unnest(${monitors.map(({ slug }) => slug)}::text[], ${monitors.map(({ group }) => group)}::text[])
        with ordinality as wanted (slug, group_slug, place)
      left join monitor_groups g on g.page_id = ${pageId} and g.slug = wanted.group_slug
    where m.page_id = ${pageId} and m.slug = wanted.slug
      and (m.position <> wanted.place - 1 or m.group_id is distinct from g.id)`;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
