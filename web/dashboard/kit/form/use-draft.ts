import { useContext, useState } from 'preact/hooks';
import { PageContext, useSession } from '../../session.js';
import { type Draft, keepDraft, readDraft } from './draft.js';

/**
 * Keeps input in this browser at each keystroke where the form has a name: a reload, a crash or a lost
 * connection loses nothing. `unkept` are fields that no browser keeps, such as secrets; nor does one keep an address with
 * a password in it.
 */
export function useDraft<V extends object>(
  name: string | undefined,
  unkept: readonly (keyof V)[] = [],
): [draft: Draft<V>, setDraft: (change: (draft: Draft<V>) => Draft<V>) => void] {
  const placeOf = usePlaces();
  const place = name === undefined ? undefined : placeOf(name);
  const [draft, setDraft] = useState(() => (place === undefined ? undefined : readDraft<V>(place)));
  const change = (next: (draft: Draft<V>) => Draft<V>): void =>
    setDraft((before) => {
      const after = next(before ?? { edits: {} });
      if (place !== undefined) keepDraft(place, toKeep(after, unkept));
      return after;
    });
  return [draft ?? { edits: {} }, change];
}

/** Whether something is being entered in the form of that name, such as before a reload, so that it is to be open. */
export function useIsKept(name: string): boolean {
  const place = usePlaces()(name);
  const [isKept] = useState(() => readDraft(place) !== undefined);
  return isKept;
}

/** Where the drafts of the person are kept on this page. People may share a browser. */
function usePlaces(): (name: string) => string {
  const { me } = useSession();
  const slug = useContext(PageContext)?.slug ?? '';
  return (name) => `${me.caller.id} ${slug} ${name}`;
}

function toKeep<V extends object>(draft: Draft<V>, unkept: readonly (keyof V)[]): Draft<V> | undefined {
  const edits = withoutSecrets(draft.edits, unkept);
  const base = draft.base && { ...draft.base, values: withoutSecrets(draft.base.values, unkept) };
  return Object.keys(edits).length === 0 ? undefined : { ...draft, edits, base };
}

function withoutSecrets<V extends object>(values: Partial<V>, unkept: readonly (keyof V)[]): Partial<V> {
  const kept = { ...values };
  for (const field in kept) if (unkept.includes(field) || hasPassword(kept[field])) delete kept[field];
  return kept;
}

/** Whether a value is an address with a password in it, such as `https://user:secret@example.com`. */
function hasPassword(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[\w+.-]+:\/\/[^/\s]*:[^/\s]*@/.test(value);
}
