import { type AddressChanges, searchOf, useAddress } from '../address/use-address.js';
import { type Read, useRead } from './use-read.js';

export type ListAnswer<Item> = { items: readonly Item[]; nextCursor: string | null };

/** Few enough to be drawn whole. */
const limit = '100';

/** A part of a list of the API, and the way to the other parts; absent where there is none. */
export type Part<Item> = {
  read: Read<ListAnswer<Item>>;
  onNewest: (() => void) | undefined;
  onOlder: (() => void) | undefined;
};

/** Changes of the address after which a list begins with its newest part. */
export const fromNewest: AddressChanges = { after: undefined };

/** Reads a list of the API part by part, the newest part first; the address keeps which part as `after`. */
export function usePart<Item>(
  path: string,
  filter: AddressChanges = {},
  { everyMs }: { everyMs?: number } = {},
): Part<Item> {
  const { query, choose } = useAddress();
  const cursor = query['after'];
  const read = useRead<ListAnswer<Item>>(path + searchOf({ ...filter, limit, cursor }), { everyMs });
  const next = read.isOlder ? undefined : (read.data?.nextCursor ?? undefined);
  return {
    read,
    onNewest: cursor === undefined ? undefined : () => choose(fromNewest),
    onOlder: next === undefined ? undefined : () => choose({ after: next }),
  };
}
