import { ruleLimits } from '../../contract/manage/rules.js';
import { type Ending, nameOfGroup, type Observation, type Rule } from '../rules/index.js';

const { format: formatCount } = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const { format: formatDigits } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Returns what an alert says in one line, such as `12 % of the requests of shop fail`. */
export function titleOf(rule: Rule, observation: Observation): string {
  const { group, name = nameOfGroup(group), value = 0, threshold = 0 } = observation;
  const { target, condition } = rule;
  const of = group === '' ? targetOf(rule) : ` of ${name}`;
  const subject = group === '' ? rule.name : name;
  switch (rule.kind) {
    case 'failure-rate':
      return `${formatDigits(value)} % of the requests${of} fail`;
    case 'latency':
      return `${condition.percentile ?? 'p95'}${of === '' ? ' of the page' : of} is ${formatMs(value)}`;
    case 'traffic':
      return `${formatCount(value)} requests${of}, fewer than ${formatCount(threshold)}`;
    case 'reporter':
      return `${subject} is ${condition.is ?? 'silent'}`;
    case 'monitor':
      return condition.certificateDays === undefined
        ? `${subject} is ${condition.is ?? 'down'}`
        : `The certificate of ${subject} ${endOf(value)}`;
    case 'pool':
      return poolTitle(condition.figure ?? 'waiting', subject, value);
    case 'burn-rate':
      return `The budget of ${target.objective ?? ''} is spent ${formatDigits(value)} times too fast`;
    case 'query':
      return `${subject} is ${formatDigits(value)}`;
  }
}

/** Days that are left, rounded down. */
function endOf(days: number): string {
  if (days < 0) return 'has ended';
  if (days === 0) return 'ends within a day';
  return days === 1 ? 'ends in 1 day' : `ends in ${formatCount(days)} days`;
}

/** Returns how an alert of a rule is over, where its last look did not say. A group that is gone says so. */
export function endingOf(rule: Rule, { group, name }: { group: string; name: string }): Ending {
  const of = group === '' ? targetOf(rule) : ` of ${name}`;
  switch (rule.kind) {
    case 'failure-rate':
      return { title: `The failure rate${of} is normal again`, text: '' };
    case 'latency':
      return { title: `The response times${of === '' ? ' of the page' : of} are normal again`, text: '' };
    case 'traffic':
      return { title: `The traffic${of === '' ? ' of the page' : of} is back`, text: '' };
    case 'reporter':
      return { title: `${name} is no longer known`, text: '' };
    case 'monitor':
      return rule.condition.certificateDays === undefined
        ? { title: `${name} is no longer watched`, text: 'It was deleted while it was down.' }
        : { title: `The certificate of ${name} is no longer watched`, text: '', facts: [] };
    case 'burn-rate':
      return { title: `The budget of ${rule.target.objective ?? ''} is spent more slowly again`, text: '' };
    case 'pool':
    case 'query':
      return { title: `${rule.name} is over${of}`, text: '' };
  }
}

/** Returns what the requests of a rule are of, such as ` of /cart of shop`; nothing for the whole page. */
function targetOf({ target: { service, endpoint, method } }: Rule): string {
  const name = [method, endpoint].filter((part) => part !== undefined).join(' ');
  return `${name === '' ? '' : ` of ${name}`}${service === undefined ? '' : ` of ${service}`}`;
}

function poolTitle(figure: NonNullable<Rule['condition']['figure']>, pool: string, value: number): string {
  switch (figure) {
    case 'waiting':
      return `${formatCount(value)} callers wait for a connection of ${pool}`;
    case 'utilization':
      return `${formatDigits(value)} % of the connections of ${pool} are busy`;
    case 'acquisitionP95Ms':
      return `p95 of acquisitions of ${pool} is ${formatMs(value)}${value >= ruleLimits.acquisitionMsMax ? ' or more' : ''}`;
    case 'failures':
      return `${formatCount(value)} callers got no connection of ${pool}`;
  }
}

/** Milliseconds as people read them. */
export function formatMs(ms: number): string {
  return ms < 1_000 ? `${formatDigits(ms)} ms` : `${formatDigits(ms / 1_000)} s`;
}
