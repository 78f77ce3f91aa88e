/** Closes what the files of a slot share, such as a browser, after the last file of the slot. */
let closers: (() => unknown)[] | undefined;

/** Has this process share until `closeShared`; a file with a process of its own shares nothing. */
export function shareUntilEnd(): void {
  closers = [];
}

/** Runs `close` at the end of the slot, or of the test where this process is no slot. */
export function closeAtEnd(t: { teardown(close: () => unknown): void }, close: () => unknown): void {
  if (closers === undefined) t.teardown(close);
  else closers.push(close);
}

export async function closeShared(): Promise<void> {
  for (const close of (closers ?? []).splice(0).reverse()) await close();
}
