/** The limits of requests to event stores that are not the installation's. docs/event-stores.md lists them. */
export const ownStoreLimits = {
  /** From the first wait for a turn to the last byte of the last answer of a session; also for an insert. */
  sessionMs: 20_000,
  /** The same where a request waits for the session. */
  requestMs: 8_000,
  /** Bytes of an answer to a read, as they arrive. An answer of few rows may have less. */
  answerBytes: 32 * 1024 * 1024,
  /** A row of the longest names has 4 KiB if each of their characters is escaped. */
  rowBytes: 4 * 1024,
  lineBytes: 64 * 1024,
  /** Answers to statements and inserts are empty. */
  shortAnswerBytes: 64 * 1024,
  errorChars: 4 * 1024,
  readsPerPage: 2,
  readsWaitingPerPage: 20,
  /** Reads of all pages at once. */
  reads: 64,
  /** Bytes of all answers that are being read. Beyond, those that hold more than a fair share end. */
  heldBytes: 128 * 1024 * 1024,
  fairBytes: 1024 * 1024,
  /** Part of the event loop that the parsing of all answers may take. */
  loopShare: 0.25,
  /** All statements that bring the tables of a store up to date. */
  migrationMs: 60_000,
} as const;
