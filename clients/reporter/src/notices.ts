/** Tells the host what goes wrong: each kind of problem once, and again after it has worked in between. */
export class Notices {
  readonly #onError: ((error: Error) => unknown) | undefined;
  readonly #told = new Set<string>();
  readonly #toldForGood = new Set<string>();

  constructor(onError: ((error: Error) => unknown) | undefined) {
    this.#onError = onError;
  }

  tell(kind: string, message: string): void {
    this.#tellOnce(this.#told, kind, message);
  }

  /** For a fault of the host itself, which is the same in each event. */
  tellForGood(kind: string, message: string): void {
    this.#tellOnce(this.#toldForGood, kind, message);
  }

  #tellOnce(told: Set<string>, kind: string, message: string): void {
    if (told.has(kind)) return;
    told.add(kind);
    // After the current work, so that the callback may call stop(); what it throws must not disturb the host.
    Promise.resolve(new Error(message))
      .then(this.#onError ?? warn)
      .catch(() => {});
  }

  /** The next problem of any kind is news, but for what was told for good. */
  forget(): void {
    this.#told.clear();
  }
}

function warn({ message }: Error): void {
  // biome-ignore lint/suspicious/noConsole: the reporter has no log of its own, and silence would hide a wrong key.
  console.warn(`@heartline/reporter: ${message}`);
}
