import { isLine, lineRule } from '../../contract/line.js';
import { type ObjectiveSli, objectiveLimits, type RequestsSli } from '../../contract/manage/objectives.js';
import { normalizeEndpoint, normalizeMethod } from '../../lib/event-fields.js';
import { ServiceError } from '../../lib/service-error.js';
import type { ObjectiveFields } from './objective.js';

/** The fields of an objective as they are sent: it is public only when that is said. */
export type SentObjective = Omit<ObjectiveFields, 'isPublic'> & { isPublic?: boolean | undefined };

/**
 * Checks and trims the fields of an objective, whose schema was checked. Endpoints and methods get the form in which events
 * are stored; a service may also be the id of a reporter, whose case counts.
 *
 * @throws ServiceError `invalidBody` with the name of the field
 */
export function parseObjective({
  name,
  target,
  window,
  sli,
  isPublic = false,
}: SentObjective): ObjectiveFields {
  if (!isLine('line', name)) throw invalid('/name', `${lineRule('line')}`);
  if (!hasFewDecimals(target)) {
    throw invalid('/target', `must have at most ${objectiveLimits.targetDecimals} decimals`);
  }
  return { name: name.trim(), target, window, sli: parseSli(sli), isPublic };
}

/** A number that JSON wrote with at most so many decimals is the double that is nearest to it. */
function hasFewDecimals(target: number): boolean {
  return Number(target.toFixed(objectiveLimits.targetDecimals)) === target;
}

function parseSli(sli: ObjectiveSli): ObjectiveSli {
  if ('monitor' in sli) return sli;
  const { service, endpoint, method, underMs } = sli.requests;
  const requests: RequestsSli = {
    ...(service !== undefined && { service: parseService(service) }),
    ...(endpoint !== undefined && { endpoint: parseEndpoint(endpoint) }),
    ...(method !== undefined && { method: parseMethod(method) }),
    ...(underMs !== undefined && { underMs }),
  };
  return { requests };
}

function parseService(sent: string): string {
  const service = sent.trim();
  if (isLine('line', service)) return service;
  throw invalid('/sli/requests/service', lineRule('line'));
}

function parseEndpoint(sent: string): string {
  const endpoint = normalizeEndpoint(sent);
  if (endpoint !== undefined) return endpoint;
  throw invalid('/sli/requests/endpoint', 'must be the path of a route of at most 200 characters');
}

function parseMethod(sent: string): string {
  const method = normalizeMethod(sent);
  if (method !== undefined) return method;
  throw invalid('/sli/requests/method', 'must be an HTTP method such as GET');
}

function invalid(field: string, rule: string): ServiceError {
  return new ServiceError('invalidBody', { message: `${field} ${rule}.`, field });
}
