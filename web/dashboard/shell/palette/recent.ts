import { keep, readKept } from '../../kit/kept.js';

/** Others who use the browser see nothing of it. */
const storageKeyOf = (userId: string): string => `heartline-recent ${userId}`;
const keptMax = 6;

/** Ids of the commands that the person has chosen in this browser, the newest first. */
export function readRecent(userId: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(readKept(storageKeyOf(userId)) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  } catch {
    return []; // Something else stands there.
  }
}

export function keepRecent(userId: string, id: string): void {
  const ids = [id, ...readRecent(userId).filter((one) => one !== id)].slice(0, keptMax);
  keep(storageKeyOf(userId), JSON.stringify(ids));
}
