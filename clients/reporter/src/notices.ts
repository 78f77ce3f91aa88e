/** Tells the host what goes wrong: each kind of problem once, and again after it has worked in between. */
export class Notices {
  readonly #onError: ((error: Error) => unknown) | undefined;
  readonly #told = new Set<string>();

  constructor(onError: ((error: Error) => unknown) | undefined) {
    this.#onError = onError;
  }

  tell(kind: string, message: string): void {
    if (this.#told.has(kind)) return;
    this.#told.add(kind);
    // After the current work, so that the callback may call stop(); what it throws must not disturb the host.
    Promise.resolve(new Error(message))
      .then(this.#onError ?? warn)
      .catch(() => {});
  }

  /** The next problem of any kind is news. */
  forget(): void {
    this.#told.clear();
  }
}

function warn({ message }: Error): void {
  // biome-ignore lint/suspicious/noConsole: the reporter has no log of its own, and silence would hide a wrong key.
  console.warn(`@heartline/reporter: ${message}`);
}
