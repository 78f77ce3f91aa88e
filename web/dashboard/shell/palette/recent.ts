/** Others who use the browser see nothing of it. */
const storageKeyOf = (userId: string): string => `heartline-recent ${userId}`;
const keptMax = 6;

/** Ids of the commands that the person has chosen in this browser, the newest first. */
export function readRecent(userId: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(storageKeyOf(userId)) ?? '[]');
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  } catch {
    return []; // Storage is forbidden, or has something else.
  }
}

export function keepRecent(userId: string, id: string): void {
  const ids = [id, ...readRecent(userId).filter((one) => one !== id)].slice(0, keptMax);
  try {
    localStorage.setItem(storageKeyOf(userId), JSON.stringify(ids));
  } catch {
    // Storage is forbidden or full: the palette begins with the screens.
  }
}
