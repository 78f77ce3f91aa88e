import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { endsOf, type Range, usualRange } from './range.js';

/** Changes of the query string; `undefined` removes a parameter. */
export type AddressChanges = Readonly<Record<string, string | undefined>>;

export type Address = {
  path: string;
  query: Readonly<Record<string, string>>;
  /** The time range of the screens; the usual one when the address has none or an unreadable one. */
  range: Range;
  /** Goes to the same path with another query string. A choice makes an entry of the history, so that Back undoes it. */
  choose(changes: AddressChanges): void;
  /** The same without an entry of the history: for typing and for what follows from the data. */
  replace(changes: AddressChanges): void;
  /** The address of another path, which keeps the range. */
  to(path: string, query?: AddressChanges): string;
};

/** The address is the state of a screen: whatever it shows, a link to it shows as well. */
export function useAddress(): Address {
  const { path, query, route } = useLocation();
  const range = useMemo(() => readRange(query), [query['from'], query['to']]);
  const go = useCallback(
    (changes: AddressChanges, replace: boolean) => route(path + searchOf({ ...query, ...changes }), replace),
    [path, query, route],
  );
  return {
    ...{ path, query, range },
    choose: (changes) => go(changes, false),
    replace: (changes) => go(changes, true),
    to: (other, changed = {}) =>
      other + searchOf({ from: query['from'], to: query['to'], compare: query['compare'], ...changed }),
  };
}

function readRange({ from, to }: Readonly<Record<string, string>>): Range {
  const given = { from: from ?? usualRange.from, to: to ?? usualRange.to };
  return endsOf(given, Date.now()) === undefined ? usualRange : given;
}

/** Returns `?a=b`, or an empty text without parameters. */
export function searchOf(parameters: AddressChanges): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') search.set(name, value);
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
