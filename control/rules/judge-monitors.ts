import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Ending, Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** How a monitor is. */
export type MonitorStanding = {
  pageId: PageId;
  slug: string;
  name: string;
  /** Slug of its group. */
  group: string | null;
  /** Why nobody looks at it now; null while it is watched. */
  unwatched: 'paused' | 'maintenance' | null;
  /** null before its first check. */
  state: 'up' | 'down' | null;
  stateSince: Date | null;
  isDegraded: boolean;
  /** A class, a colon and a sentence. */
  lastError: string | null;
  /** null for a heartbeat. */
  url: string | null;
  /** null without TLS. */
  certificateEndsAt: Date | null;
};

/** Looks at each monitor of a rule. One that is not watched has no data. `now` is in milliseconds since the epoch. */
export function judgeMonitors(rule: Rule, monitors: readonly MonitorStanding[], now: number): Observation[] {
  const { pageId, target, condition } = rule;
  const { monitor, group } = target;
  const chosen = monitors.filter(
    (one) =>
      one.pageId === pageId &&
      (monitor === undefined || one.slug === monitor) &&
      (group === undefined || one.group === group),
  );
  const { certificateDays } = condition;
  return chosen.map((one) => ({
    group: one.slug,
    name: one.name,
    ...(certificateDays === undefined
      ? lookAtState(one, condition.is ?? 'down')
      : lookAtCertificate(one, certificateDays, now)),
  }));
}

type Found = Omit<Observation, 'group' | 'name'>;

/** A monitor that is down is no better than one that is slow. */
function lookAtState(monitor: MonitorStanding, is: string): Found {
  const { name, state, stateSince, isDegraded, lastError, url } = monitor;
  const look: Look =
    state === null || monitor.unwatched !== null
      ? 'none'
      : state === 'down' || (is === 'degraded' && isDegraded)
        ? 'bad'
        : 'good';
  return {
    ...{
      look,
      text: sentenceOf(lastError),
      facts: url === null ? [] : [{ name: 'Target', value: hostOf(url) }],
    },
    ...(state === 'down' && stateSince !== null && { since: stateSince.getTime() }),
    ending:
      look === 'good'
        ? { title: `${name} is ${is === 'down' ? 'up' : 'well'} again`, text: '' }
        : unwatchedEnding(monitor),
  };
}

const reasons = {
  paused: 'It was paused while it was down.',
  maintenance: 'Its maintenance began while it was down.',
} as const;

function unwatchedEnding({ name, unwatched }: MonitorStanding): Ending {
  const text = unwatched === null ? 'No check has passed since.' : reasons[unwatched];
  return { title: `${name} is no longer watched`, text };
}

/** A monitor that is paused meets no certificate. Maintenance renews none. */
function lookAtCertificate(monitor: MonitorStanding, days: number, now: number): Found {
  const { name, unwatched, certificateEndsAt: endsAt, url } = monitor;
  if (endsAt === null || unwatched === 'paused') {
    const ending = { title: `The certificate of ${name} is no longer watched`, text: '', facts: [] };
    return { look: 'none', threshold: days, ending };
  }
  const left = (endsAt.getTime() - now) / dayMs;
  const ends = { name: 'Ends', value: `${endsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` };
  return {
    ...{ look: left < days ? 'bad' : 'good', value: Math.floor(left), threshold: days },
    text: 'Renew it, or browsers and clients refuse to connect.',
    facts: [...(url === null ? [] : [{ name: 'Host', value: hostOf(url) }]), ends],
    ending: { title: `The certificate of ${name} is renewed`, text: '', facts: [ends] },
  };
}

/** Returns an error without its class. */
function sentenceOf(error: string | null): string {
  return error?.replace(/^[\w-]+: /, '') ?? '';
}

/** The path and the query of a URL may be secrets. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
