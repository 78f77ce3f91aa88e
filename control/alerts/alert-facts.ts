import { formatSpan, formatTime } from '../../lib/spans-in-words.js';
import type { StoredMessage } from '../channels/index.js';
import { formatMs } from './alert-texts.js';
import type { EndpointFigures, Evidence } from './evidence.js';

type Facts = StoredMessage['facts'];

const { format: formatCount } = new Intl.NumberFormat('en');
const { format: formatDigits } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Returns what an engineer looks up first, as the facts of a message. Figures come first: a provider cuts what is too long. */
export function factsOf(evidence: Evidence, startedAt: Date): Facts {
  const { from, to, requests, errors, since, facts: known = [], messages = [], deployment } = evidence;
  const facts: { name: string; value: string }[] = [];
  const add = (name: string, value: string) => facts.push({ name, value });
  if (from !== undefined && to !== undefined) {
    add('Window', `${formatSpan(Date.parse(to) - Date.parse(from))} until ${formatTime(new Date(to))}`);
  }
  // The text says how many failed.
  if (requests !== undefined && errors === undefined) add('Requests', formatCount(requests));
  facts.push(...known);
  if (since !== undefined) add('Since', formatTime(new Date(since)));
  // People ask first whether something was deployed.
  if (deployment !== undefined) {
    const { service, version, environment, at } = deployment;
    const where = environment === null ? '' : ` (${environment})`;
    const before = formatSpan(startedAt.getTime() - Date.parse(at));
    add('Last deployment', `${service} ${version}${where}, ${before} before`);
  }
  facts.push(...endpointFacts(evidence));
  for (const { message, count } of messages) add('Message', `${formatCount(count)} times: ${message}`);
  return facts;
}

const ranks = ['Worst endpoint', 'Second endpoint', 'Third endpoint'];

function endpointFacts({ endpoints = [] }: Evidence): Facts {
  const services = [...new Set(endpoints.map(({ service }) => service))];
  if (services.length === 0) return [];
  return [
    { name: services.length === 1 ? 'Service' : 'Services', value: services.join(', ') },
    ...endpoints.flatMap((one, at) => {
      const rank = ranks[at];
      const value = `${contributionOf(one)}: ${one.endpoint} of ${one.service}`;
      return rank === undefined ? [] : [{ name: rank, value }];
    }),
  ];
}

/** Says what an endpoint contributes: its failures, its response time, or its missing requests. */
function contributionOf({ before, p95Ms, ...counts }: EndpointFigures): string {
  if (p95Ms !== null && p95Ms !== undefined) {
    const then = before?.p95Ms;
    return `p95 ${formatMs(p95Ms)}${then === null || then === undefined ? '' : `, before ${formatMs(then)}`}`;
  }
  if (counts.errors === 0 && before !== undefined)
    return `${formatCount(counts.requests)} requests, before ${formatCount(before.requests)}`;
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
