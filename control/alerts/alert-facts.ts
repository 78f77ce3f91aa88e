import type { StoredMessage } from '../channels/index.js';
import type { Evidence } from './evidence.js';

type Facts = StoredMessage['facts'];

const { format: formatCount } = new Intl.NumberFormat('en');
const { format: formatDigits } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Returns what an engineer looks up first, as the facts of a message. Figures come first: a provider cuts what is too long. */
export function factsOf(
  { from, to, requests, errors, endpoints = [], messages = [], deployment }: Evidence,
  startedAt: Date,
): Facts {
  const facts: { name: string; value: string }[] = [];
  const add = (name: string, value: string) => facts.push({ name, value });
  if (from !== undefined && to !== undefined) {
    add('Window', `${spanOf(Date.parse(to) - Date.parse(from))} until ${timeOf(to)}`);
  }
  if (requests !== undefined) {
    const failed = errors === undefined ? '' : `, ${formatCount(errors)} failed`;
    add('Requests', `${formatCount(requests)}${failed}`);
  }
  // People ask first whether something was deployed.
  if (deployment !== undefined) {
    const { service, version, environment, at } = deployment;
    const where = environment === null ? '' : ` (${environment})`;
    add(
      'Last deployment',
      `${service} ${version}${where}, ${spanOf(startedAt.getTime() - Date.parse(at))} before`,
    );
  }
  for (const { service, endpoint, ...counts } of endpoints) {
    const share = formatDigits((100 * counts.errors) / Math.max(1, counts.requests));
    const failed = `${formatCount(counts.errors)} of ${formatCount(counts.requests)}`;
    add('Endpoint', `${share} %, ${failed}: ${endpoint} of ${service}`);
  }
  for (const { message, count } of messages) add('Message', `${formatCount(count)} times: ${message}`);
  return facts;
}

/** Returns the query of the screen that shows the window. */
export function queryOf({ from, to }: Evidence): Readonly<Record<string, string>> | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

function timeOf(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formats a length of time in its largest unit, of which there are at least two: `90 minutes`, `3 hours`. */
export function spanOf(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000));
  const [unit, seconds] = units.find(([, length]) => total >= 2 * length) ?? units[3];
  const { format } = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return format(Math.floor(total / seconds));
}
