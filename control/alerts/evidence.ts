import type { AlertFigures } from '../../contract/manage/alerts.js';
import type { NamedDeployment } from '../../contract/manage/deployments.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Fact, Rule } from '../rules/index.js';

/** Requests of an endpoint in a window. */
export type EndpointCounts = { requests: number; errors: number; p95Ms?: number | null };

/** An endpoint that contributes to an alert, and how it was before. */
export type EndpointFigures = EndpointCounts & {
  service: string;
  endpoint: string;
  before?: EndpointCounts;
};

/** A message of failing requests or checks, and how many had it. */
export type MessageFigures = { message: string; count: number };

/**
 * The facts that an engineer looks up first, as it was when the alert began: the window and the figures in it and before, the
 * endpoints and messages that contribute most, at most three of each, and the newest deployment of the 24 hours before. Parts
 * that could not be read are absent.
 */
export type Evidence = {
  /** ISO 8601. */
  from?: string;
  to?: string;
  /** As the rule counted them. */
  requests?: number;
  errors?: number;
  now?: AlertFigures;
  before?: AlertFigures & { from: string; to: string };
  endpoints?: readonly EndpointFigures[];
  messages?: readonly MessageFigures[];
  deployment?: NamedDeployment;
  /** Since when a monitor is down, or when a reporter last reported; ISO 8601. */
  since?: string;
  /** A sentence and facts of kinds that have no figures of requests. */
  text?: string;
  facts?: readonly Fact[];
};

/** Endpoints and messages that an alert has: a message to a phone has room for no more. */
export const evidenceParts = 3;

/** Times in milliseconds since the epoch. */
type Span = { from: number; to: number };

/** Checks of a monitor are every minute or so: enough of them tell how it was. */
const monitorMinutes = 15;

/**
 * Returns the window that a rule looked at up to `to`, and one as long that ended when its condition began to hold, in
 * milliseconds since the epoch. Nothing for a rule without a window, such as of reporters, and for pools, which answer no requests.
 */
export function windowsOf(
  { kind, condition, forSeconds }: Pick<Rule, 'kind' | 'condition' | 'forSeconds'>,
  to: number,
): { now: Span; before: Span } | undefined {
  const isState = kind === 'monitor' && condition.certificateDays === undefined;
  const minutes = condition.windowMinutes ?? condition.longMinutes ?? (isState ? monitorMinutes : undefined);
  if (minutes === undefined || kind === 'pool') return undefined;
  const now = { from: to - minutes * minuteMs, to };
  const end = now.from - Math.ceil((forSeconds * secondMs) / minuteMs) * minuteMs;
  return { now, before: { from: end - minutes * minuteMs, to: end } };
}

type Named = EndpointCounts & { service: string; endpoint: string };

/**
 * Returns the endpoints that contribute most, at most `evidenceParts`, each with how it was before: to a failure rate by
 * their failures, to a latency by how far and how often they are above `threshold`, in milliseconds, to missing traffic by
 * the requests that are gone.
 */
export function worstEndpoints(
  kind: RuleKind,
  { now, before, threshold }: { now: readonly Named[]; before: readonly Named[]; threshold: number },
): EndpointFigures[] {
  const keyOf = ({ service, endpoint }: Named) => JSON.stringify([service, endpoint]);
  const past = new Map(before.map((one) => [keyOf(one), one]));
  const present = new Set(now.map(keyOf));
  // Endpoints that nobody calls any more are what missing traffic is about.
  const gone = before
    .filter((one) => !present.has(keyOf(one)))
    .map(({ service, endpoint }) => ({ service, endpoint, requests: 0, errors: 0 }));
  const weightOf = (one: Named): number => {
    if (kind === 'latency') return one.requests * Math.max(0, (one.p95Ms ?? 0) - threshold);
    if (kind === 'traffic') return (past.get(keyOf(one))?.requests ?? 0) - one.requests;
    return one.errors;
  };
  return [...now, ...gone]
    .map((one) => ({ one, weight: weightOf(one) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || b.one.requests - a.one.requests)
    .slice(0, evidenceParts)
    .map(({ one }) => ({ ...one, before: countsOf(past.get(keyOf(one))) }));
}

function countsOf(found: EndpointCounts | undefined): EndpointCounts {
  const { requests, errors, p95Ms } = found ?? { requests: 0, errors: 0 };
  return { requests, errors, ...(p95Ms !== undefined && { p95Ms }) };
}

/** A check of a monitor, as it is stored. */
type Check = { ok: boolean; error: string | null; totalMs: number | null };

/** Returns the figures of checks; the response time is the mean of those that passed, null when none did. */
export function figuresOfChecks(checks: readonly Check[]): AlertFigures {
  const times = checks.flatMap(({ ok, totalMs }) => (ok && totalMs !== null ? [totalMs] : []));
  const sum = times.reduce((total, time) => total + time, 0);
  return {
    checks: checks.length,
    failed: checks.filter(({ ok }) => !ok).length,
    responseMs: times.length === 0 ? null : Math.round(sum / times.length),
  };
}

/** Returns the errors of checks that failed, the most frequent first, at most `evidenceParts`. */
export function messagesOfChecks(checks: readonly Check[]): MessageFigures[] {
  const counts = new Map<string, number>();
  for (const { ok, error } of checks)
    if (!ok && error !== null) counts.set(error, (counts.get(error) ?? 0) + 1);
  return [...counts]
    .map(([message, count]) => ({ message, count }))
    .sort((a, b) => b.count - a.count)
    .slice(0, evidenceParts);
}
