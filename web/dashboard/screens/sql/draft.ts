/** What is being written on a page, and the saved query or example that it began as. */
export type Draft = { text: string; query?: string | undefined };

/** Whose draft on which page: people may share a browser. */
export type DraftPlace = { userId: string; slug: string };

const keyOf = ({ userId, slug }: DraftPlace) => `heartline-sql:${userId}:${slug}`;

/** What was written last in this browser. */
export function readDraft(place: DraftPlace): Draft | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(place)) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('text' in kept)) return undefined;
    const query = 'query' in kept && typeof kept.query === 'string' ? kept.query : undefined;
    return { text: String(kept.text), query };
  } catch {
    return undefined; // Storage is forbidden, or has something else.
  }
}

/** Keeps what is written for the next visit, where the browser has room. */
export function keepDraft(place: DraftPlace, draft: Draft): void {
  try {
    localStorage.setItem(keyOf(place), JSON.stringify(draft));
  } catch {
    // Storage is forbidden or full: the text stays in this tab.
  }
}
