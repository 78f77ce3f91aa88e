/** Returns the text that this browser keeps under a key; `undefined` without one, and where storage is forbidden. */
export function readKept(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text in this browser, or forgets it. Where storage is forbidden or full, nothing is kept. */
export function keep(key: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The choice holds until the tab closes.
  }
}

/** The key of something that only one person may find in this browser, and nobody after a sign-out. */
export function personalKey(userId: string, name: string): string {
  return `heartline-of:${userId}:${name}`;
}

/** Forgets what this browser keeps under the personal keys of somebody. */
export function forgetPersonal(userId: string): void {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(personalKey(userId, ''))) localStorage.removeItem(key);
    }
  } catch {
    // Where storage is forbidden, nothing is kept.
  }
}
