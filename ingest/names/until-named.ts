import { ServiceError } from '../../lib/service-error.js';
import type { Batch, SpareBatches } from '../read/batch.js';

/** Names for which the page had no room when they were to be registered. */
export type Refused = { endpoints: Set<string>; services: Set<string> };

/**
 * A registration of names without which a body cannot be handed on. Returns the names that the page had no
 * room for, if any. Rejects as the registry does.
 */
export type Registration = { register(): Promise<Refused | undefined> };

/**
 * A reporter, then the names of its events and their versions are three. A name that is deleted between two readings needs
 * one more; a body whose names keep disappearing is refused.
 */
const registrationsMax = 5;

/**
 * Reads a body into a batch with `attempt`, which hands it on and returns the outcome, or returns the registration that is
 * needed first; the body is then read again, with the names that were refused. A body that waits holds no batch, whose columns take 0.1 MB. Returns
 * without a promise when all names are known, which is the usual case.
 *
 * @throws ServiceError `storeBusy` when the names disappear again and again; the errors of `attempt` and of the registry
 */
export function untilNamed<Outcome extends object>(
  spare: SpareBatches,
  attempt: (batch: Batch, refused?: Refused) => Outcome | Registration,
): Outcome | Promise<Outcome> {
  const first = readOnce(spare, attempt);
  return isRegistration(first) ? readAgain(spare, attempt, first) : first;
}

async function readAgain<Outcome extends object>(
  spare: SpareBatches,
  attempt: (batch: Batch, refused?: Refused) => Outcome | Registration,
  first: Registration,
): Promise<Outcome> {
  const refused: Refused = { endpoints: new Set(), services: new Set() };
  let missing = first;
  for (let done = 0; done < registrationsMax; done += 1) {
    const more = await missing.register();
    for (const text of more?.endpoints ?? []) refused.endpoints.add(text);
    for (const text of more?.services ?? []) refused.services.add(text);
    const outcome = readOnce(spare, (batch) => attempt(batch, refused));
    if (!isRegistration(outcome)) return outcome;
    missing = outcome;
  }
  throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
}

function readOnce<Outcome>(spare: SpareBatches, attempt: (batch: Batch) => Outcome): Outcome {
  const batch = spare.take();
  try {
    return attempt(batch);
  } finally {
    spare.giveBack(batch);
  }
}

function isRegistration(outcome: object): outcome is Registration {
  return 'register' in outcome;
}
