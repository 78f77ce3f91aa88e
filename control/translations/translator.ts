/** A service that translates plain text. */
export type Translator = {
  /**
   * The texts in `target`, in the order in which they were given, none of them blank. Languages are BCP 47 tags.
   *
   * @throws TranslationError when there is no such answer, and the reason of `signal` once that is aborted.
   */
  translate(
    texts: readonly string[],
    source: string,
    target: string,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
};

/** `unavailable`: other texts would fare no better right now; `refused`: it may be because of these texts. */
export type TranslationErrorKind = 'unavailable' | 'refused';

/** Its message is one sentence for the operator, and holds no secret. */
export class TranslationError extends Error {
  override name = 'TranslationError';

  constructor(
    readonly kind: TranslationErrorKind,
    message: string,
    /** How long the service asked to be left alone, in milliseconds. */
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}
