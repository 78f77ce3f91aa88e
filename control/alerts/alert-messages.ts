import { type ChannelTopic, channelEvents, channelLimits } from '../../contract/channels.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { AlertId } from '../../lib/ids.js';
import { formatSpan } from '../../lib/spans-in-words.js';
import type { Severity, StoredMessage } from '../channels/index.js';
import type { Ending } from '../rules/index.js';
import { factsOf, textOf } from './alert-facts.js';
import type { Evidence } from './evidence.js';

/** An alert as messages have it. */
export type AlertInMessage = {
  id: string;
  kind: RuleKind;
  ruleName: string;
  severity: AlertSeverity;
  /** As people read it; empty for a rule without groups. */
  groupName: string;
  title: string;
  threshold: number | null;
  evidence: Evidence;
  startedAt: Date;
  resolvedAt: Date | null;
  endedBy: 'rule' | 'person' | 'change' | null;
  /** How it is over; null when a person or a change of the rule ended it. */
  ending: Ending | null;
};

/** Returns the topic under which channels choose to be told of an alert. */
export function topicOf({ kind, threshold }: Pick<AlertInMessage, 'kind' | 'threshold'>): ChannelTopic {
  // Rules about certificates compare days.
  return kind === 'monitor' && threshold !== null ? 'certificate' : topics[kind];
}

const topics = {
  ...{ 'failure-rate': 'failure-rate', monitor: 'monitor', reporter: 'reporter', latency: 'rule' },
  ...{ traffic: 'rule', pool: 'rule', 'burn-rate': 'rule', query: 'rule' },
} as const satisfies Record<RuleKind, ChannelTopic>;

const severities = { page: 'critical', ticket: 'warning', info: 'info' } as const satisfies Record<
  AlertSeverity,
  Severity
>;

/**
 * Returns the message that alerts began; the worst is the first. `key` is the id of one of them, and the same in the message
 * that they are over.
 */
export function beginMessage(
  topic: ChannelTopic,
  alerts: readonly [AlertInMessage, ...AlertInMessage[]],
  key: string,
  now: number,
): StoredMessage {
  const [first] = alerts;
  const shared = {
    event: channelEvents[topic][0],
    phase: 'begin',
    severity: severities[first.severity],
    ...{ key, at: new Date(now).toISOString() },
    alert: key as AlertId,
    screen: 'alerts',
  } as const;
  if (alerts.length > 1) return { ...shared, ...summaryOf(topic, alerts), facts: [] };
  return {
    ...{ ...shared, title: first.title, text: textOf(first.ruleName, first.evidence) },
    facts: factsOf(first),
    query: { alert: first.id },
  };
}

function summaryOf(
  topic: ChannelTopic,
  alerts: readonly [AlertInMessage, ...AlertInMessage[]],
): { title: string; text: string } {
  const [{ title: worst }] = alerts;
  const title = many[topic]?.begin(alerts.length, worst) ?? `${alerts.length} alerts began`;
  const names = alerts.map((alert) => (many[topic] === undefined ? alert.title : alert.groupName));
  const shown = names.slice(0, channelLimits.namesInMessage);
  const left = names.length - shown.length;
  const [separator, rest] = many[topic] === undefined ? ['\n', '\nand'] : [', ', ' and'];
  return { title, text: `${shown.join(separator)}${left > 0 ? `${rest} ${left} more` : ''}` };
}

/** Titles of many alerts, of which one has the title `title`. */
type Many = { begin(count: number, title: string): string; end(count: number, title: string): string };

/** A network that fails takes many with it: one message says so, and one says that it is over. */
const many: Partial<Record<ChannelTopic, Many>> = {
  monitor: {
    begin: (count, title) => `${count} monitors are ${stateOf(title)}`,
    end: (count, title) => `None of the ${count} monitors is ${stateOf(title)} any more`,
  },
  certificate: {
    begin: (count) => `${count} certificates are about to end`,
    end: (count) => `None of the ${count} certificates is about to end any more`,
  },
  reporter: {
    begin: (count) => `${count} reporters are silent`,
    end: (count) => `None of the ${count} reporters is silent any more`,
  },
};

function stateOf(title: string): 'down' | 'in trouble' {
  return title.endsWith(' is down') ? 'down' : 'in trouble';
}

const endings = {
  rule: 'The condition does not hold any more.',
  person: 'Somebody resolved it.',
  change: 'The rule was changed, turned off or deleted.',
} as const;

/** Returns the message that an alert is over, or all of those that were told with it. */
export function endMessage(
  topic: ChannelTopic,
  alert: AlertInMessage & { toldWith: number | null },
  key: string,
  now: number,
): StoredMessage {
  const count = alert.toldWith ?? 1;
  const { title, text, facts } =
    count > 1
      ? {
          title: many[topic]?.end(count, alert.title) ?? `All ${count} alerts are over`,
          text: '',
          facts: undefined,
        }
      : endingOf(alert);
  const end = alert.resolvedAt?.getTime() ?? now;
  const since =
    alert.evidence.since === undefined ? alert.startedAt.getTime() : Date.parse(alert.evidence.since);
  return {
    ...{ event: channelEvents[topic][1], phase: 'end', severity: severities[alert.severity], title, text },
    facts: [...(facts ?? [{ name: 'Lasted', value: formatSpan(end - since) }])],
    ...{ key, at: new Date(now).toISOString(), screen: 'alerts', alert: key as AlertId },
  };
}

function endingOf({ ending, title, endedBy }: AlertInMessage): Ending {
  return ending ?? { title: `Over: ${title}`, text: endings[endedBy ?? 'rule'] };
}
