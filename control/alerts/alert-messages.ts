import { type ChannelTopic, channelEvents, channelLimits } from '../../contract/channels.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { Severity, StoredMessage } from '../channels/index.js';
import { factsOf, queryOf, spanOf } from './alert-facts.js';
import type { Evidence } from './evidence.js';

/** An alert as messages have it. */
export type AlertInMessage = {
  id: string;
  kind: RuleKind;
  ruleName: string;
  severity: AlertSeverity;
  title: string;
  evidence: Evidence;
  startedAt: Date;
  resolvedAt: Date | null;
  endedBy: 'rule' | 'person' | 'change' | null;
};

/** The topic under which channels choose to be told of a kind. */
export const topicOf = {
  ...{ 'failure-rate': 'failure-rate', monitor: 'monitor', reporter: 'reporter', latency: 'rule' },
  ...{ traffic: 'rule', pool: 'rule', 'burn-rate': 'rule', query: 'rule' },
} as const satisfies Record<RuleKind, ChannelTopic>;

const severities = { page: 'critical', ticket: 'warning', info: 'info' } as const satisfies Record<
  AlertSeverity,
  Severity
>;

/** Returns the message that alerts began; the worst is the first. `key` is the same in the message that they are over. */
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
    screen: 'alerts',
  } as const;
  if (alerts.length > 1) return { ...shared, ...summaryOf(alerts), facts: [] };
  const query = queryOf(first.evidence);
  return {
    ...{ ...shared, title: first.title, text: `Rule: ${first.ruleName}` },
    facts: factsOf(first.evidence, first.startedAt),
    ...(query !== undefined && { query }),
  };
}

function summaryOf(alerts: readonly AlertInMessage[]): { title: string; text: string } {
  const titles = alerts.slice(0, channelLimits.namesInMessage).map(({ title }) => title);
  const left = alerts.length - titles.length;
  const text = `${titles.join('\n')}${left > 0 ? `\nand ${left} more` : ''}`;
  return { title: `${alerts.length} alerts began`, text };
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
  const isMany = (alert.toldWith ?? 1) > 1;
  const end = alert.resolvedAt ?? new Date(now);
  return {
    ...{ event: channelEvents[topic][1], phase: 'end', severity: severities[alert.severity] },
    title: isMany ? `All ${alert.toldWith} alerts are over` : `Over: ${alert.title}`,
    text: isMany ? '' : endings[alert.endedBy ?? 'rule'],
    facts: [{ name: 'Lasted', value: spanOf(end.getTime() - alert.startedAt.getTime()) }],
    ...{ key, at: new Date(now).toISOString(), screen: 'alerts' },
  };
}
