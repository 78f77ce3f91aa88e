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
