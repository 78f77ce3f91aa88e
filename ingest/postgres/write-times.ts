/** How writes to PostgreSQL are paced and bounded in time; in milliseconds unless the name says otherwise. */
export const writeTimes = {
  /**
   * The fewer writes, the less PostgreSQL has to do for each batch: a write takes the process and PostgreSQL some 0.2 ms
   * each. With longer pauses, eight senders that wait for their answers wait for the pause. Up to `burst` writes do not
   * wait after a time without any.
   */
  paceMs: 3,
  burst: 10,
  /** While the store takes nothing, each write is a block of its own in the buffer: fewer and larger ones are better. */
  paceMsBehind: 1_000,
  /** A write in flight for longer means that PostgreSQL hangs. New batches are refused until it is through. */
  stalledAfterMs: 7_000,
  writeMsMax: 3_500,
  /** A write with less time is not made: it would hardly have the time to succeed. */
  writeMsMin: 250,
  lookMsMax: 2_000,
  /** A write ends this long before the first of its senders is answered in any case. */
  answerMs: 500,
  /** A batch with less time before its answer is refused: there may be a write before its own. */
  timeMsMin: 4_000,
  /** Bytes of a character of base64. */
  bytesPerCharacter: 3 / 4,
} as const;
