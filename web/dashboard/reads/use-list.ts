import { useState } from 'preact/hooks';
import { type AddressChanges, searchOf } from '../address/use-address.js';
import { type Read, useRead } from './use-read.js';

export type ListAnswer<Item> = { items: readonly Item[]; nextCursor: string | null };

/** The most that one answer has. */
const limit = '200';
const pollMs = 60_000;

/** A part of a list of the API, and the way to the other parts; absent where there is none. */
export type List<Item> = {
  read: Read<ListAnswer<Item>>;
  onNewest: (() => void) | undefined;
  onOlder: (() => void) | undefined;
};

/** Reads a list of the API part by part, the newest part first. `query` is constant while the caller is drawn. */
export function useList<Item>(path: string, query: AddressChanges = {}): List<Item> {
  const [cursor, go] = useState<string>();
  const read = useRead<ListAnswer<Item>>(path + searchOf({ ...query, limit, cursor }), { everyMs: pollMs });
  const next = read.data?.nextCursor ?? undefined;
  return {
    read,
    onNewest: cursor === undefined ? undefined : () => go(undefined),
    onOlder: next === undefined ? undefined : () => go(next),
  };
}
