import { useState } from 'preact/hooks';
import { type AddressChanges, searchOf, useAddress } from '../address/use-address.js';
import { type Read, useRead } from './use-read.js';

export type ListAnswer<Item> = { items: readonly Item[]; nextCursor: string | null };

/** A part of a list of the API, and the ways to the other parts; absent where there is none. */
export type List<Item> = {
  read: Read<{ items: readonly Item[] }>;
  onNewest?: (() => void) | undefined;
  onOlder?: (() => void) | undefined;
};

type ListOptions = {
  filter?: AddressChanges;
  /** The most items of a part. */
  limit: number;
  everyMs?: number;
  /** The address keeps which part is shown under this name; without it, a reload begins with the newest part. */
  cursorKey?: string;
};

/** A part of a list whose place the address keeps; few enough items to draw them whole. */
export const keptPart = { limit: 100, cursorKey: 'after' } as const;

/** Changes of the address after which such a list begins with its newest part. */
export const fromNewest: AddressChanges = { [keptPart.cursorKey]: undefined };

/** The largest part, of a table that people search; a reload begins with the newest one. */
export const searchedPart = { limit: 200, everyMs: 60_000 } as const;

/** Reads a list of the API part by part, the newest part first. Reads nothing without a path. */
export function useList<Item>(path: string | undefined, options: ListOptions): List<Item> {
  const { filter, limit, everyMs, cursorKey } = options;
  const { query, choose } = useAddress();
  const [own, setOwn] = useState<string>();
  const cursor = cursorKey === undefined ? own : query[cursorKey];
  const goTo = (next: string | undefined): void =>
    cursorKey === undefined ? setOwn(next) : choose({ [cursorKey]: next });
  const search = searchOf({ ...filter, limit: String(limit), cursor });
  const read = useRead<ListAnswer<Item>>(path && path + search, { everyMs });
  // The cursor of another filter leads nowhere.
  const isOfAnother = read.isOlder && filter !== undefined;
  const next = isOfAnother ? undefined : (read.data?.nextCursor ?? undefined);
  return {
    read,
    onNewest: cursor === undefined ? undefined : () => goTo(undefined),
    onOlder: next === undefined ? undefined : () => goTo(next),
  };
}

/** Whether all items are drawn. */
export function isWhole({ onNewest, onOlder }: List<unknown>): boolean {
  return onNewest === undefined && onOlder === undefined;
}
