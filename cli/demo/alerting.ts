import type { PutObjective } from '../../contract/manage/objectives.js';
import type { PutPolicy } from '../../contract/manage/policies.js';
import type { PutSchedule } from '../../contract/manage/schedules.js';
import type { PutRuleFields } from '../../control/rules/index.js';
import { dayMs } from '../../lib/times.js';
import { plot } from './plot.js';

/** Names of no domain that exists (RFC 2606), so that nobody gets an email from a demo. */
export const demoPeople = [
  { name: 'Mara Lindholm', email: 'mara.lindholm@team.invalid', language: 'en' },
  { name: 'Jonas Weber', email: 'jonas.weber@team.invalid', language: 'de' },
  { name: 'Aiko Mori', email: 'aiko.mori@team.invalid', language: 'ja' },
] as const;

/** The rules that the people had before the last days. */
export const demoRules: readonly PutRuleFields[] = [
  {
    ...{ slug: 'reviews-slow', name: 'Reviews are slow', kind: 'latency', severity: 'ticket' },
    target: { service: 'shop', endpoint: '/products/:id/reviews' },
    condition: { percentile: 'p95', overMs: 500, windowMinutes: 30, requestsMin: 50 },
  },
  {
    ...{ slug: 'orders-fail', name: 'Orders fail', kind: 'failure-rate', severity: 'page' },
    target: { service: 'shop', endpoint: '/orders' },
    condition: { percent: 5, windowMinutes: 5, requestsMin: 20 },
  },
  {
    ...{ slug: 'service-fails', name: 'A service fails', kind: 'failure-rate', severity: 'page' },
    target: { by: 'service' },
    condition: { percent: 15, windowMinutes: 5, requestsMin: 50 },
  },
];

/** Somebody thought of it while search was down. */
export const lateRule: PutRuleFields = {
  ...{ slug: 'checkout-fails', name: 'Checkout fails', kind: 'failure-rate', severity: 'page' },
  target: { service: 'shop', endpoint: '/checkout', method: 'POST' },
  condition: { percent: 5, windowMinutes: 15, requestsMin: 50 },
};

/** A moment at which alerts begin or end, in minutes of the plot, and what somebody did then. `person` is a place. */
type Moment = { minute: number; answer?: { minute: number; person: number; note: string } };

export const moments: readonly Moment[] = [
  {
    minute: plot.release.from + 45,
    answer: {
      ...{ minute: plot.release.from + 96, person: 2 },
      note: 'Pictures are loaded one by one since 4.12. A fix is in review.',
    },
  },
  {
    minute: plot.poolOut.from + 8,
    answer: { minute: plot.poolOut.from + 13, person: 1, note: 'The pool is exhausted. I raise its limit.' },
  },
  { minute: plot.poolOut.to + 8 },
  {
    minute: plot.searchDown + 7,
    answer: { minute: plot.searchDown + 10, person: 0, note: 'The index is damaged; it is being rebuilt.' },
  },
];

/** The first one has spent its budget since the release. */
export const demoObjectives: readonly (PutObjective & { slug: string })[] = [
  {
    ...{ slug: 'checkout', name: 'Orders can be paid', target: 99.5, window: { days: 28 }, isPublic: true },
    sli: { requests: { service: 'shop', endpoint: '/checkout', method: 'POST' } },
  },
  {
    ...{ slug: 'sign-in', name: 'Accounts answer within 400 ms', target: 99, window: { days: 28 } },
    ...{ sli: { requests: { service: 'accounts', underMs: 400 } }, isPublic: true },
  },
];

/** A week each, handed over on Monday morning. */
export function scheduleFrom(filledAt: number): PutSchedule {
  const before = new Date(filledAt - 84 * dayMs);
  const monday = before.getTime() - ((before.getUTCDay() + 6) % 7) * dayMs;
  return {
    name: 'Operations',
    timeZone: 'Europe/Berlin',
    layers: [
      {
        ...{ name: 'Week by week', people: demoPeople.map(({ email }) => email), every: { weeks: 1 } },
        handoff: `${new Date(monday).toISOString().slice(0, 10)}T09:00`,
      },
    ],
  };
}

export function policyOf(email: string): PutPolicy {
  return {
    name: 'Whoever is on call',
    steps: [
      { notify: [{ schedule: 'operations' }], waitMinutes: 10 },
      { notify: [{ person: email }], waitMinutes: 30 },
    ],
    defaultFor: ['page'],
  };
}
