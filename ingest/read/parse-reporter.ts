import { Compile } from 'typebox/compile';
import { Reporter } from '../../contract/events.js';
import { normalizeEnvironment, normalizeService, normalizeVersion } from '../../lib/event-fields.js';
import { describeErrors } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import type { SentRelease } from '../names/version-registry.js';

const check = Compile(Reporter);

/** A reporter as it describes itself, the version that it runs, and whether this is its last call. */
export type ParsedReporter = { reporter: Reporter; release: SentRelease | undefined; isStopping: boolean };

/**
 * Parses a reporter into the form that is stored: trimmed, labels and service in lower case. Optional fields may be null, which many
 * clients send for absent values. The goodbye is no part of the form, because it is true of one call, and neither is the
 * version.
 *
 * @throws ServiceError `invalidReporter`, which names the field.
 */
export function parseReporter(sent: unknown): ParsedReporter {
  const present = Object.fromEntries(Object.entries(sent ?? {}).filter(([, value]) => value !== null));
  if (!check.Check(present)) {
    throw new ServiceError('invalidReporter', { message: describeErrors(check, present, '/reporter') });
  }
  const { reporterId, englishName, region, team, expectedEverySeconds } = present;
  const service = normalizeService(present.service);
  for (const [name, value] of Object.entries({
    reporterId,
    englishName,
    region,
    team,
    service: present.service,
    version: present.version,
    environment: present.environment,
  })) {
    const isRequired = name === 'reporterId' || name === 'englishName';
    if ((isRequired && value?.trim() === '') || /\p{Cc}/u.test(value ?? '')) {
      throw new ServiceError('invalidReporter', {
        message: `/reporter/${name} must not be blank or hold control characters.`,
      });
    }
  }
  const reporter: Reporter = {
    reporterId: reporterId.trim().toWellFormed(),
    englishName: englishName.trim().toWellFormed(),
    ...(region?.trim() && { region: region.trim().toLowerCase().toWellFormed() }),
    ...(team?.trim() && { team: team.trim().toLowerCase().toWellFormed() }),
    ...(service !== undefined && { service }),
    ...(expectedEverySeconds !== undefined && { expectedEverySeconds }),
  };
  return { reporter, release: parseRelease(present), isStopping: present.stopping === true };
}

/** Returns the version that a sender names; `undefined` when it names none. */
export function parseRelease(sent: { version?: unknown; environment?: unknown }): SentRelease | undefined {
  const version = normalizeVersion(sent.version);
  return version === undefined ? undefined : { version, environment: normalizeEnvironment(sent.environment) };
}
