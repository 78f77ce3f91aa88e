import { keep, readKept } from '../../kit/kept.js';

/** What is being written on a page, and the saved query or example that it began as. */
export type Draft = { text: string; query?: string | undefined };

/** Whose draft on which page: people may share a browser. */
export type DraftPlace = { userId: string; slug: string };

const keyOf = ({ userId, slug }: DraftPlace) => `heartline-sql:${userId}:${slug}`;

/** What was written last in this browser. */
export function readDraft(place: DraftPlace): Draft | undefined {
  try {
    const kept: unknown = JSON.parse(readKept(keyOf(place)) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('text' in kept)) return undefined;
    const query = 'query' in kept && typeof kept.query === 'string' ? kept.query : undefined;
    return { text: String(kept.text), query };
  } catch {
    return undefined; // Something else stands there.
  }
}

/** Keeps what is written for the next visit, where the browser has room. */
export function keepDraft(place: DraftPlace, draft: Draft): void {
  keep(keyOf(place), JSON.stringify(draft));
}
