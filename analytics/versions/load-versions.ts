import {
  type Comparison,
  type VersionChange,
  type VersionFigures,
  type VersionsAnswer,
  versionLimits,
} from '../../contract/analytics/versions.js';
import { limits } from '../../contract/limits.js';
import { normalizeEnvironment, normalizeService, normalizeVersion } from '../../lib/event-fields.js';
import type { PageId } from '../../lib/ids.js';
import { invalidValue, parseParameters, type QueryParameters } from '../../lib/query-parameters.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import { parseEventFilters } from '../event-filters.js';
import { loadMessageGroups } from '../message-groups.js';
import { findChanges, findOnset, isThin } from './find-changes.js';
import {
  figuresOf,
  type Hours,
  loadServiceCounts,
  loadServiceSteps,
  loadVersionCounts,
  type VersionCounts,
  type VersionName,
} from './version-figures.js';

export type VersionsQuery = { service?: string; environment?: string; version?: string };

/** A version that came to the service: what a deployment has. */
export type Deployed = VersionName & {
  id: string;
  at: Date;
  announcedAt: Date | null;
  firstSeenAt: Date | null;
  url: string | null;
};

type Deps = { clickhouse: EventReader };
type Scope = { pageId: PageId; service: string; now: number };

const comparedMs = versionLimits.comparedHours * hourMs;
const onsetMs = 2 * hourMs;
const stepMinutes = 5;
/** Groups of messages that are compared, of the time since a version came and of the time before. */
const groupsMax = { now: 200, before: 1_000 } as const;

/** @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseVersionsQuery(query: QueryParameters): VersionsQuery {
  const { service, environment, version } = parseParameters(query, ['service', 'environment', 'version']);
  const name = service === undefined ? undefined : normalizeService(service);
  if (service !== undefined && name === undefined)
    throw invalidValue('service', 'the name of a service', service);
  const wanted = version === undefined ? undefined : normalizeVersion(version);
  if (version !== undefined && wanted === undefined) throw invalidValue('version', 'a version', version);
  return {
    ...(name !== undefined && { service: name }),
    ...(environment !== undefined && { environment: normalizeEnvironment(environment) }),
    ...(wanted !== undefined && { version: wanted }),
  };
}

/**
 * Loads the figures of the versions of a service, and compares one with the version before it.
 *
 * @param deployed the newest versions of the service in the environment, newest first. @throws as loadEventRows() does.
 */
export async function loadVersions(
  deps: Deps,
  pageId: PageId,
  { service, environment, version }: VersionsQuery & { service: string },
  { deployed, now }: { deployed: readonly Deployed[]; now: number },
): Promise<VersionsAnswer> {
  const scope: Scope = { pageId, service, now };
  const recentFrom = hourOf(now) - hourMs;
  const asked = { pageId, service, hours: { from: hourOf(now - comparedMs), to: now }, recentFrom };
  const [counts, total] = await Promise.all([loadVersionCounts(deps, asked), loadServiceCounts(deps, asked)]);
  const versioned = counts.reduce((sum, { requests }) => sum + requests, 0);
  const countsOf = (name: VersionName): VersionCounts =>
    counts.find((one) => isSame(one, name)) ?? { ...name, ...nothing };
  return {
    service,
    environment: environment || null,
    versions: deployed.slice(0, limits.versionsPerService).map((one) => {
      const { recent, ...counted } = countsOf(one);
      const share = total.recent === 0 ? null : Math.min(1, recent / total.recent);
      return { ...describe(one), share, ...figuresOf(counted) };
    }),
    unversioned: Math.max(0, total.requests - versioned),
    comparison: await compare(deps, scope, pick(deployed, version)),
  };
}

/** The version to compare, and the one before it in its environment; both have requests. */
function pick(
  deployed: readonly Deployed[],
  version: string | undefined,
): { current: Deployed; previous: Deployed } | undefined {
  const seen = deployed.filter(({ firstSeenAt }) => firstSeenAt !== null);
  const current = version === undefined ? seen[0] : seen.find((one) => one.version === version);
  if (current === undefined) return undefined;
  const previous = seen
    .slice(seen.indexOf(current) + 1)
    .find(({ environment }) => environment === current.environment);
  return previous === undefined ? undefined : { current, previous };
}

async function compare(
  deps: Deps,
  scope: Scope,
  picked: { current: Deployed; previous: Deployed } | undefined,
): Promise<Comparison | null> {
  if (picked === undefined) return null;
  const { current, previous } = picked;
  const at = current.at.getTime();
  const [now, before, newMessages] = await Promise.all([
    loadFigures(deps, scope, current, { from: hourOf(at), to: Math.min(scope.now, hourOf(at) + comparedMs) }),
    loadFigures(deps, scope, previous, { from: hourOf(at - comparedMs), to: hourOf(at) + hourMs }, at),
    loadNewMessages(deps, scope, at),
  ]);
  return {
    ...{ version: current.version, environment: current.environment || null, at: current.at.toISOString() },
    ...{ previous: previous.version, now, before, isThin: isThin(now, before) },
    changes: await dateChanges(deps, scope, { at, changes: findChanges(now, before) }),
    newMessages,
  };
}

/** Loads the figures of a version. Those of the version before end with the deployment, for its rate. */
async function loadFigures(
  deps: Deps,
  { pageId, service, now }: Scope,
  { version, environment, at }: Deployed,
  hours: Hours,
  endsAt?: number,
): Promise<VersionFigures> {
  const only = { version, environment };
  const [found] = await loadVersionCounts(deps, { pageId, service, hours, recentFrom: hours.from, only });
  const { firstHour, lastHour, ...counted } = found ?? {
    ...nothing,
    firstHour: hours.from,
    lastHour: hours.from,
  };
  const from = Math.max(firstHour, endsAt === undefined ? at.getTime() : 0);
  const end = Math.min(lastHour + hourMs, now, endsAt === undefined ? now : Math.max(endsAt, lastHour));
  const to = Math.max(end, from + minuteMs);
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ratePerMinute: Math.round((1000 * counted.requests * minuteMs) / (to - from)) / 1000,
    ...figuresOf(counted),
  };
}

/** Hours say that a figure has changed, and the minutes of the whole service when; minutes are kept for two weeks. */
async function dateChanges(
  deps: Deps,
  { pageId, service, now }: Scope,
  { at, changes }: { at: number; changes: ReturnType<typeof findChanges> },
): Promise<VersionChange[]> {
  const start = Math.floor(at / minuteMs) * minuteMs;
  const hours = { from: start, to: Math.min(start + onsetMs, Math.floor(now / minuteMs) * minuteMs) };
  const isKept = at > now - limits.eventRetentionDays * dayMs && hours.to > hours.from;
  const steps =
    changes.length === 0 || !isKept
      ? []
      : await loadServiceSteps(deps, { pageId, service, hours, stepSeconds: 60 * stepMinutes });
  return changes.map((change) => {
    const since = findOnset(change, steps, { start, stepMinutes });
    return {
      ...change,
      since: since === undefined ? null : new Date(since).toISOString(),
      minutesAfter: since === undefined ? null : Math.max(0, Math.round((since - at) / minuteMs)),
    };
  });
}

async function loadNewMessages(
  deps: Deps,
  { pageId, service, now }: Scope,
  at: number,
): Promise<Comparison['newMessages']> {
  const filters = parseEventFilters({ service });
  const to = Math.min(now, at + comparedMs);
  if (to <= at) return [];
  const load = (from: number, to: number, limit: number) =>
    loadMessageGroups(deps, pageId, { ...{ from, to, filters, limit, now } });
  const [later, earlier] = await Promise.all([
    load(at, to, groupsMax.now),
    load(at - comparedMs, at, groupsMax.before),
  ]);
  const known = new Set(earlier.groups.map(({ pattern }) => pattern));
  return later.groups
    .filter(({ pattern }) => !known.has(pattern))
    .slice(0, versionLimits.newMessages)
    .map(({ message, count, firstAt, endpoints }) => ({
      ...{ message, count, firstAt, endpoint: endpoints[0]?.endpoint ?? '' },
    }));
}

const nothing = {
  ...{ requests: 0, errors: 0, latencySumUs: 0, latencies: { keys: [], counts: [] }, recent: 0 },
  ...{ firstHour: 0, lastHour: 0 },
};

function describe({ id, version, environment, at, announcedAt, firstSeenAt, url }: Deployed) {
  return {
    ...{ version, environment: environment || null, deploymentId: id, at: at.toISOString() },
    announcedAt: announcedAt?.toISOString() ?? null,
    firstSeenAt: firstSeenAt?.toISOString() ?? null,
    url,
  };
}

const hourOf = (time: number): number => Math.floor(time / hourMs) * hourMs;

function isSame(a: VersionName, b: VersionName): boolean {
  return a.version === b.version && a.environment === b.environment;
}
