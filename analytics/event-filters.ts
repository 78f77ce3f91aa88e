import { limits, unassignedService } from '../contract/limits.js';
import { normalizeEndpoint, normalizeMethod, normalizeService } from '../lib/event-fields.js';
import { invalidValue, parseInteger } from '../lib/query-parameters.js';

/** Filters of events: names in the form in which events are stored, and the HTTP status. */
export type EventFilters = { service?: ServiceFilter; endpoint?: string; method?: string; status?: number };

/** A name stands for services of v1, which are in lower case, and for the reporter of v2 with this id. */
export type ServiceFilter = { services: string[]; reporter: string };

type Given = { service?: string; endpoint?: string; method?: string; status?: string };

/**
 * Normalises names as events are when they arrive, so that a filter finds what was sent.
 *
 * @throws ServiceError `invalidParameter` for a name or a status that no event can have.
 */
export function parseEventFilters({ service, endpoint, method, status }: Given): EventFilters {
  return {
    ...(service !== undefined && { service: parseService(service) }),
    ...(endpoint !== undefined && {
      endpoint:
        normalizeEndpoint(endpoint) ??
        refuse('endpoint', 'the path of a route of at most 200 characters', endpoint),
    }),
    ...(method !== undefined && {
      method: normalizeMethod(method) ?? refuse('method', 'an HTTP method such as GET', method),
    }),
    ...(status !== undefined && {
      status: parseInteger('status', status, limits.statusMin, limits.statusMax),
    }),
  };
}

function parseService(text: string): ServiceFilter {
  const reporter = text.trim().toWellFormed();
  if (reporter === '') return refuse('service', 'the name of a service or the id of a reporter', text);
  const name = normalizeService(text);
  const isUnassigned = name === unassignedService.toLowerCase();
  // Whoever copies the name of events without a service from an answer looks for those.
  const services = [...(name === undefined ? [] : [name]), ...(isUnassigned ? [unassignedService] : [])];
  return { services, reporter };
}

function refuse(name: string, allowed: string, sent: string): never {
  throw invalidValue(name, allowed, sent);
}

/** Conditions of a query, and the values of their parameters. */
export function conditionsOf({ service, endpoint, method, status }: EventFilters): {
  conditions: string[];
  parameters: Record<string, unknown>;
} {
  return {
    conditions: [
      ...(service === undefined ? [] : [serviceCondition]),
      ...(endpoint === undefined ? [] : ['endpoint = {endpoint:String}']),
      ...(method === undefined ? [] : ['method = {method:String}']),
      ...(status === undefined ? [] : ['status = {status:UInt16}']),
    ],
    parameters: {
      ...service,
      ...(endpoint !== undefined && { endpoint }),
      ...(method !== undefined && { method }),
      ...(status !== undefined && { status }),
    },
  };
}

const serviceCondition = `(kind = 'service' AND service IN {services:Array(String)}
  OR kind = 'reporter' AND service = {reporter:String})`;
