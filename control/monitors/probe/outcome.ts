import type { CheckError } from '../../../contract/monitors.js';

/** Parts of a check's time, each over all its redirects; null for a part that it did not get to or does not have. */
export type Phases = {
  /** Looking up names. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the request, sent, to the head of the answer. */
  firstByteMs: number | null;
};

/** What came of one check. */
export type Outcome = Phases & {
  ok: boolean;
  error: CheckError | null;
  /** A sentence for the operator, without secrets; null when it passed. */
  detail: string | null;
  /** HTTP status; null without one. */
  status: number | null;
  /** From the start to the end of the answer; null without one, and for heartbeats. */
  totalMs: number | null;
};

export const noPhases: Phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

/** Why a check did not pass; thrown inside of checks and caught there. */
export class CheckFailure extends Error {
  override name = 'CheckFailure';

  constructor(
    readonly error: CheckError,
    message: string,
  ) {
    super(message);
  }
}

/** It could not be found out how the target is, for a reason on our side. Such a check counts as none. */
export class ProbeError extends Error {
  override name = 'ProbeError';
}
