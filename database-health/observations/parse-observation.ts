import { Compile } from 'typebox/compile';
import { type Engine, Observation, observationLimits } from '../../contract/observations.js';
import { looksLikeSecret, parseAlias } from '../../lib/alias.js';
import { type ConnectionId, type ObservationId, parseId } from '../../lib/ids.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import { describeErrors } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';

/**
 * An observation that keeps every rule, in one form: ids in lower case, aliases trimmed, and only the fields of the
 * contract.
 */
export type CheckedObservation = {
  id: ObservationId;
  sourceId: string;
  engine: Engine;
  environment: string;
  target: string;
  connectionId: ConnectionId | null;
  outcome: string;
  /** Milliseconds since the epoch. */
  checkedAt: number;
  latencyMs: number;
  capabilities: string[];
  connections: number | null;
  connectionLimit: number | null;
  activeSessions: number | null;
  blockedSessions: number | null;
};

const check = Compile(Observation);

/**
 * @param now milliseconds since the epoch.
 * @throws ServiceError `invalidBody`, which names the field by its JSON pointer and never repeats a secret, or
 *   `noSuchConnection` for a connection that cannot exist.
 */
export function parseObservation(body: unknown, now: number): CheckedObservation {
  if (!check.Check(body)) throw invalid(describeErrors(check, body));
  const { result, measurements } = body.sample;
  const id = parseId<ObservationId>(body.observationId);
  if (id === undefined)
    throw invalid(`/observationId must be a UUID; it was ${describeSent(body.observationId)}.`);
  const observation = {
    id,
    sourceId: parseAlias('/sourceId', body.sourceId),
    engine: result.engine,
    environment: parseAlias('/environment', body.environment),
    target: parseAlias('/target', body.target),
    outcome: parseOutcome(result.outcome),
    checkedAt: parseSampleTime(result.checkedAt, now),
    latencyMs: result.latencyMs,
    capabilities: result.capabilities.map((text, i) => parseAlias(`/sample/result/capabilities/${i}`, text)),
    connections: measurements.connections,
    connectionLimit: measurements.connectionLimit,
    activeSessions: measurements.activeSessions,
    blockedSessions: measurements.blockedSessions,
  };
  // Parsed last: an error in the contract comes before an error of a resource.
  return { ...observation, connectionId: parseConnectionId(body.connectionId) };
}

function parseOutcome(word: string): string {
  if (looksLikeSecret(word)) throw invalid('/sample/result/outcome must be a word.');
  return word;
}

function parseSampleTime(text: string, now: number): number {
  const at = '/sample/result/checkedAt';
  const time = parseTimestamp(text);
  if (Number.isNaN(time)) {
    throw invalid(
      `${at} must be an ISO-8601 time that exists, such as 2026-01-31T23:00:00Z; it was ${describeSent(text)}.`,
    );
  }
  const { ageSecondsMax, aheadSecondsMax } = observationLimits;
  if (time < now - ageSecondsMax * 1000)
    throw invalid(`${at} must be at most ${ageSecondsMax} s ago; ${arrived(text, now)}.`);
  if (time > now + aheadSecondsMax * 1000)
    throw invalid(`${at} must be at most ${aheadSecondsMax} s ahead; ${arrived(text, now)}.`);
  return time;
}

/** A clock that is off shows when both times stand side by side. */
function arrived(text: string, now: number): string {
  return `it was ${describeSent(text)}, and arrived at ${new Date(now).toISOString()}`;
}

function parseConnectionId(text: string | null): ConnectionId | null {
  if (text === null) return null;
  const id = parseId<ConnectionId>(text);
  if (id === undefined) throw new ServiceError('noSuchConnection');
  return id;
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalidBody', { message: detail });
}
