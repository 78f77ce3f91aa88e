import type { ManagedRule as Rule } from '../../../../contract/manage/rules.js';
import { alertSeverities } from '../../../../contract/manage/shared.js';
import { RuleBadge } from '../../kit/rule-badge.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { sayCondition, sayTarget, type Words } from './words.js';

type Ways = {
  /** Where a rule is shown. */
  hrefOf(slug: string): string;
  /** Turns a rule on or off; nothing for people who may not. */
  toggle: ((rule: Rule, enabled: boolean) => void) | undefined;
};

/** The order of states: rules that need somebody first, and those that are off last. */
const order: readonly Rule['state'][] = ['firing', 'error', 'pending', 'no-data', 'ok', 'off'];

/** The columns of the list. */
export function columnsOf(
  words: Words,
  states: Readonly<Record<Rule['state'], string>>,
  { hrefOf, toggle }: Ways,
): Column<Rule>[] {
  const { texts, format } = words;
  return [
    {
      key: 'name',
      title: texts.name,
      class: 'objective-cell',
      value: ({ name }) => name,
      text: (rule) => `${rule.name} ${texts.kinds[rule.kind]} ${sayTarget(rule, words)}`,
      cell: (rule) => (
        <a class="row-link two-lines" href={hrefOf(rule.slug)}>
          <span dir="auto">{rule.name}</span>
          <span class="note" dir="auto">
            {sayTarget(rule, words)} · {sayCondition(rule, words)}
          </span>
        </a>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      value: ({ state }) => order.indexOf(state),
      text: ({ state }) => states[state],
      cell: ({ state, severity, error }) => (
        <span title={error ?? undefined}>
          <RuleBadge state={state} severity={severity} />
        </span>
      ),
    },
    timeColumn({
      ...{ key: 'since', title: texts.since, say: format.moment },
      timeOf: ({ since }: Rule) => since,
    }),
    {
      key: 'alerts',
      title: texts.alerts,
      isFigure: true,
      isMinor: true,
      value: ({ alerts }) => alerts,
      cell: ({ alerts }) => alerts > 0 && format.count(alerts),
    },
    {
      key: 'severity',
      title: texts.severity,
      isMinor: true,
      value: ({ severity }) => alertSeverities.indexOf(severity),
      text: ({ severity }) => texts.severities[severity],
      cell: ({ severity }) => texts.severities[severity],
    },
    {
      key: 'policy',
      title: texts.policy,
      isMinor: true,
      value: ({ policy }) => policy,
      cell: ({ policy }) => policy ?? <span class="note">{texts.defaultPolicy}</span>,
    },
    {
      key: 'enabled',
      title: texts.on,
      class: 'switch-cell',
      value: ({ enabled }) => Number(enabled),
      text: ({ enabled }) => (enabled ? texts.on : states.off),
      cell: (rule) => (
        <span class="switch">
          <input
            type="checkbox"
            role="switch"
            checked={rule.enabled}
            aria-checked={rule.enabled}
            aria-label={texts.switch({ name: rule.name })}
            disabled={toggle === undefined}
            onChange={({ currentTarget }) => toggle?.(rule, currentTarget.checked)}
          />
        </span>
      ),
    },
  ];
}
