import { parseEventFilters } from '../../analytics/event-filters.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadMessageGroups } from '../../analytics/message-groups.js';
import { figureLimits, type Order } from '../../contract/analytics/figures.js';
import type { AlertFigures } from '../../contract/manage/alerts.js';
import {
  type AlertEvidence as Evidence,
  evidenceParts,
  figuresOfChecks,
  messagesOfChecks,
  windowsOf,
  worstEndpoints,
} from '../../control/alerts/index.js';
import { findLastDeployment } from '../../control/deployments/index.js';
import { loadMonitor } from '../../control/monitors/index.js';
import { findObjective } from '../../control/objectives/index.js';
import { type Observation, partsOfGroup, type Rule } from '../../control/rules/index.js';
import { dayMs } from '../../lib/times.js';
import { readChecks } from '../../rollups/series/read-checks.js';
import type { JobDeps } from './job.js';

/** A version that came earlier is hardly the cause. */
const deploymentMs = dayMs;
/** Checks of a quarter of an hour, every few seconds. */
const checksMax = 300;

/** An alert that begins; the rule looked at the minutes up to `to`, in milliseconds since the epoch. */
export type Begun = { rule: Rule; observation: Observation; to: number };

type Span = { from: number; to: number };
/** The requests that an alert is about. */
type Place = { service?: string; endpoint?: string; method?: string };

/**
 * Loads what an engineer looks up first when an alert begins. Parts that cannot be read are left out: an alert begins without
 * them too. Never fails.
 */
export async function loadEvidence(deps: JobDeps, begun: Begun): Promise<Evidence> {
  const { rule, observation, to } = begun;
  const windows = windowsOf(rule, to);
  if (windows === undefined) return {};
  const range = { from: iso(windows.now.from), to: iso(windows.now.to) };
  const left = <T>(reading: Promise<T>) => leftOut(deps, rule, reading);
  const sli = rule.kind === 'burn-rate' ? await left(findSli(deps, rule)) : undefined;
  const monitor = sli !== undefined && 'monitor' in sli ? sli.monitor : undefined;
  if (rule.kind === 'monitor' || monitor !== undefined) {
    const slug = monitor ?? partsOfGroup(observation.group)[0] ?? '';
    // Since when it is down says more than a window.
    return (await left(loadChecks(deps, rule, { slug, windows }))) ?? {};
  }
  const place = sli !== undefined && 'requests' in sli ? sli.requests : placeOf(rule, observation);
  const [figures, endpoints, messages] = await Promise.all([
    left(loadFigures(deps, rule, { place, windows, now: to })),
    left(loadEndpoints(deps, begun, { place, windows })),
    left(loadMessages(deps, begun, { place, span: windows.now })),
  ]);
  const services = [...new Set([...(endpoints ?? []).map(({ service }) => service), ...named(place)])];
  const deployment = await left(findDeployment(deps, rule, services, to));
  return {
    ...{ ...range, ...figures },
    ...(endpoints !== undefined && { endpoints }),
    ...(messages !== undefined && { messages }),
    ...(deployment !== undefined && { deployment }),
  };
}

const iso = (at: number): string => new Date(at).toISOString();
const named = ({ service }: Place): string[] => (service === undefined ? [] : [service]);

async function leftOut<T>({ log }: JobDeps, { pageId }: Rule, reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((err: unknown) => {
    log.warn({ pageId, err }, 'What an alert shows besides its figure could not be read.');
    return undefined;
  });
}

/** The requests or the monitor of the objective of a rule. */
async function findSli(
  { sql }: JobDeps,
  { pageId, target }: Rule,
): Promise<{ requests: Place } | { monitor: string } | undefined> {
  const objective = await findObjective(sql, { pageId, slug: target.objective ?? '' });
  if (objective === undefined) return undefined;
  const { sli } = objective;
  if ('monitor' in sli) return { monitor: sli.monitor.slug };
  const { service, endpoint, method } = sli.requests;
  return { requests: filled({ service, endpoint, method }) };
}

/** The service and endpoint that an alert is about. Names of services of v1 are stored in lower case. */
function placeOf({ target }: Rule, { group }: Observation): Place {
  const { method } = target;
  const [service = target.service, endpoint = target.endpoint] =
    target.by === undefined ? [] : partsOfGroup(group);
  return filled({ service, endpoint, method });
}

function filled(place: { [Key in keyof Place]?: Place[Key] | undefined }): Place {
  const { service, endpoint, method } = place;
  return {
    ...(service !== undefined && { service }),
    ...(endpoint !== undefined && { endpoint }),
    ...(method !== undefined && { method }),
  };
}

type Windows = { now: Span; before: Span };
type Asked = { place: Place; windows: Windows };

async function loadFigures(
  deps: JobDeps,
  { pageId }: Rule,
  { place, windows, now }: Asked & { now: number },
): Promise<Pick<Evidence, 'now' | 'before'>> {
  const clickhouse = deps.clickhouseOf(pageId);
  const load = async (range: Span): Promise<AlertFigures> => {
    const query = { range, filters: parseEventFilters(place), comparesPrevious: false };
    const { now: totals } = await loadTotals({ clickhouse }, pageId, query, now);
    const { requests, errors, p50Ms, p95Ms, p99Ms } = totals;
    return { requests: requests ?? 0, errors: errors ?? 0, p50Ms, p95Ms, p99Ms };
  };
  const [current, before] = await Promise.all([load(windows.now), load(windows.before)]);
  return { now: current, before: { ...between(windows.before), ...before } };
}

const between = ({ from, to }: Span) => ({ from: iso(from), to: iso(to) });

/** The figure that chooses the endpoints among which the worst are found. */
const orderOf = (kind: Rule['kind']): Order =>
  kind === 'latency' ? 'p95' : kind === 'traffic' ? 'requests' : 'errors';

async function loadEndpoints(deps: JobDeps, { rule, observation, to }: Begun, { place, windows }: Asked) {
  const clickhouse = deps.clickhouseOf(rule.pageId);
  const isTimed = rule.kind === 'latency';
  const load = async (range: Span) => {
    const query = {
      ...{ range, filters: parseEventFilters(place), comparesPrevious: false, by: 'endpoint' as const },
      ...{ order: orderOf(rule.kind), search: '', limit: figureLimits.groups, points: 0 },
      // Only a rule about response times shows any.
      countsOnly: !isTimed,
    };
    const { rows } = await loadTop({ clickhouse }, rule.pageId, query, to);
    return rows.map(({ service, endpoint, now }) => ({
      ...{ service: service ?? '', endpoint: endpoint ?? '' },
      ...{ requests: now.requests ?? 0, errors: now.errors ?? 0 },
      ...(isTimed && { p95Ms: now.p95Ms }),
    }));
  };
  const [now, before] = await Promise.all([load(windows.now), load(windows.before)]);
  return worstEndpoints(rule.kind, { now, before, threshold: observation.threshold ?? 0 });
}

/** Missing requests have no messages. */
async function loadMessages(
  deps: JobDeps,
  { rule, to }: Begun,
  { place: { method: _, ...place }, span }: { place: Place; span: Span },
) {
  if (rule.kind === 'traffic') return undefined;
  const query = { ...span, filters: parseEventFilters(place), limit: evidenceParts, now: to };
  const clickhouse = deps.clickhouseOf(rule.pageId);
  const { groups } = await loadMessageGroups({ clickhouse }, rule.pageId, query);
  return groups.map(({ message, count }) => ({ message, count }));
}

async function findDeployment({ sql }: JobDeps, { pageId }: Rule, services: readonly string[], to: number) {
  if (services.length === 0) return undefined;
  const last = await findLastDeployment(sql, { pageId, services, from: to - deploymentMs, to });
  if (last === undefined) return undefined;
  const { service, version, environment, at } = last;
  return { service, version, environment: environment || null, at: at.toISOString() };
}

/** The checks of a monitor now and before, and their errors. */
async function loadChecks(
  deps: JobDeps,
  { pageId }: Rule,
  { slug, windows }: { slug: string; windows: Windows },
): Promise<Pick<Evidence, 'now' | 'before' | 'messages'>> {
  const monitor = await loadMonitor(deps, { pageId, slug });
  const load = ({ from, to }: Span) =>
    readChecks(deps, { pageId, monitorId: monitor.id, from, to, limit: checksMax });
  const [now, before] = await Promise.all([load(windows.now), load(windows.before)]);
  return {
    now: figuresOfChecks(now),
    before: { ...between(windows.before), ...figuresOfChecks(before) },
    messages: messagesOfChecks(now),
  };
}
