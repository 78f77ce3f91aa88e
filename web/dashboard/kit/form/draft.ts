import { keep, readKept } from '../kept.js';

/** Unsent input, and the state that it began from. */
export type Draft<V extends object> = {
  edits: Partial<V>;
  /** The saved state that the first edit saw: its tag, and its values without those that no browser keeps. */
  base?: { etag: string; values: Partial<V> } | undefined;
  /** Idempotency-Key of all attempts to send it. */
  key?: string | undefined;
};

const prefix = 'heartline-draft:';
/** A browser keeps so many drafts; the one that was changed longest ago leaves first. */
const draftsMax = 30;
const indexKey = 'heartline-drafts';

/** The draft of a place, such as `ann demo incident`; `undefined` without one. */
export function readDraft<V extends object>(place: string): Draft<V> | undefined {
  try {
    const kept: unknown = JSON.parse(readKept(prefix + place) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('edits' in kept)) return undefined;
    return kept as Draft<V>; // Only keepDraft() writes there, and a place has one form.
  } catch {
    return undefined;
  }
}

/** Keeps a draft for the next visit, or forgets it. */
export function keepDraft<V extends object>(place: string, draft: Draft<V> | undefined): void {
  const others = readIndex().filter((one) => one !== place);
  const index = draft === undefined ? others : [...others, place];
  for (const old of index.splice(0, Math.max(0, index.length - draftsMax))) keep(prefix + old, undefined);
  keep(indexKey, JSON.stringify(index));
  keep(prefix + place, draft && JSON.stringify(draft));
}

function readIndex(): string[] {
  try {
    const index: unknown = JSON.parse(readKept(indexKey) ?? '[]');
    return Array.isArray(index) ? index.map(String) : [];
  } catch {
    return [];
  }
}
