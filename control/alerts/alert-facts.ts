import type { AlertFigures } from '../../contract/manage/alerts.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import { formatSpan, formatTime } from '../../lib/spans-in-words.js';
import type { StoredMessage } from '../channels/index.js';
import { formatMs } from './alert-texts.js';
import type { EndpointFigures, Evidence } from './evidence.js';

type Facts = StoredMessage['facts'];

const { format: formatCount } = new Intl.NumberFormat('en');
const { format: formatDigits } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

type AlertOfFacts = { kind: RuleKind; evidence: Evidence; startedAt: Date };

/**
 * Returns what an engineer looks up first, as the facts of a message. The first are those that matter most: a chat shows six, and a
 * provider cuts what is too long.
 */
export function factsOf({ kind, evidence, startedAt }: AlertOfFacts): Facts {
  const { from, to, requests, errors, since, facts: known = [], messages = [], deployment } = evidence;
  const facts: { name: string; value: string }[] = [];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) facts.push({ name, value });
  };
  if (from !== undefined && to !== undefined) {
    add('Window', `${formatSpan(Date.parse(to) - Date.parse(from))} until ${formatTime(new Date(to))}`);
  }
  const { now, before } = evidence;
  // The text says how many failed, and the title how many requests there were.
  if (errors === undefined && kind !== 'traffic') {
    if (now !== undefined) add('Now', figuresIn(kind, now));
    else if (requests !== undefined) add('Requests', formatCount(requests));
  }
  if (before !== undefined) add('Before', figuresIn(kind, before));
  facts.push(...known);
  if (since !== undefined) add('Since', formatTime(new Date(since)));
  // People ask first whether something was deployed.
  if (deployment !== undefined) {
    const { service, version, environment, at } = deployment;
    const where = environment === null ? '' : ` (${environment})`;
    const ago = formatSpan(startedAt.getTime() - Date.parse(at));
    add('Last deployment', `${service} ${version}${where}, ${ago} before`);
  }
  const [worst, ...others] = endpointFacts(evidence);
  const [first, ...rest] = messages.map(({ message }) => ({ name: 'Message', value: message }));
  if (worst !== undefined) facts.push(worst);
  if (first !== undefined) facts.push(first);
  return [...facts, ...others, ...rest];
}

/** Says how it was in a window: how many failed, how long they took, or how many there were. A window without checks says nothing. */
function figuresIn(
  kind: RuleKind,
  { requests = 0, errors = 0, ...figures }: AlertFigures,
): string | undefined {
  const { checks, failed = 0, responseMs, p50Ms, p95Ms, p99Ms } = figures;
  if (checks === 0) return undefined;
  if (checks !== undefined) {
    const time = typeof responseMs === 'number' ? `, ${formatMs(responseMs)}` : '';
    return `${formatCount(failed)} of ${formatCount(checks)} checks failed${time}`;
  }
  if (requests === 0) return 'no requests';
  const all = `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`;
  if (kind === 'traffic') return all;
  if (kind !== 'latency') return shareOf({ requests, errors });
  const times = Object.entries({ p50: p50Ms, p95: p95Ms, p99: p99Ms });
  const known = times.flatMap(([name, ms]) => (typeof ms === 'number' ? [`${name} ${formatMs(ms)}`] : []));
  return [...known, all].join(', ');
}

const ranks = ['Worst endpoint', 'Second endpoint', 'Third endpoint'];

function endpointFacts({ endpoints = [] }: Evidence): Facts {
  return endpoints.flatMap((one, at) => {
    const rank = ranks[at];
    const value = `${contributionOf(one)}: ${one.endpoint} of ${one.service}`;
    return rank === undefined ? [] : [{ name: rank, value }];
  });
}

/** Says what an endpoint contributes: its failures, its response time, or its missing requests. */
function contributionOf({ before, p95Ms, ...counts }: EndpointFigures): string {
  if (p95Ms !== null && p95Ms !== undefined) {
    const then = before?.p95Ms;
    return `p95 ${formatMs(p95Ms)}${then === null || then === undefined ? '' : `, before ${formatMs(then)}`}`;
  }
  if (counts.errors === 0 && before !== undefined)
    return `${formatCount(counts.requests)} requests, before ${formatCount(before.requests)}`;
  return shareOf(counts);
}

function shareOf(counts: { requests: number; errors: number }): string {
  return `${formatDigits((100 * counts.errors) / Math.max(1, counts.requests))} %, ${failedOf(counts)}`;
}

function failedOf({ requests, errors }: { requests: number; errors: number }): string {
  return `${formatCount(errors)} of ${formatCount(requests)}`;
}

/** Returns what a message says below its title: a sentence that the alert knows, or its figures and its rule. */
export function textOf(ruleName: string, evidence: Evidence): string {
  const { text, requests, errors, from, to } = evidence;
  if (text !== undefined) return text;
  if (requests === undefined || errors === undefined || from === undefined || to === undefined)
    return `Rule: ${ruleName}`;
  const window = formatSpan(Date.parse(to) - Date.parse(from));
  return `${failedOf({ requests, errors })} requests failed in ${window}. Rule: ${ruleName}`;
}
