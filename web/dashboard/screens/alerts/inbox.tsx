import { useState } from 'preact/hooks';
import type { AlertChoice, AlertCounts, ManagedAlert } from '../../../../contract/manage/alerts.js';
import { type AlertSeverity, alertSeverities } from '../../../../contract/manage/shared.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Segments, SelectField } from '../../kit/form/choices.js';
import { Icon } from '../../kit/icons.js';
import { Panel } from '../../kit/panel.js';
import { Paging } from '../../kit/resource-list.js';
import { Empty, FailedAddition, ReadView, Skeleton } from '../../kit/states.js';
import { Tabs } from '../../kit/tabs.js';
import { pagePath } from '../../reads/api-path.js';
import { fromNewest, keptPart, type List, useList } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { pathOfScreen } from '../../shell/screens.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { AlertRow } from './alert-row.js';
import { SilenceDialog } from './silence-dialog.js';
import { Silences } from './silences.js';
import { alertsTexts } from './texts.js';
import { type RuleName, useRules } from './use-rules.js';

export const tabs = ['firing', 'acknowledged', 'quiet', 'past'] as const satisfies readonly AlertChoice[];
type Tab = (typeof tabs)[number];

/** Somebody who waits for the next alert sees it within this time. */
const everyMs = 10_000;

/** The alerts of a page: what fires and is nobody's yet, what somebody looks after, what is silenced, and what is over. */
export function Inbox() {
  const texts = useTexts(alertsTexts);
  const { screens } = useTexts(shellTexts);
  const format = useFormat();
  const { slug } = usePage();
  const { query } = useAddress();
  const [isSilencing, setSilencing] = useState(false);
  const tab = tabs.find((one) => one === query['show']) ?? 'firing';
  const severity = alertSeverities.find((one) => one === query['severity']);
  const filter = { severity, rule: query['rule'] || undefined };
  const counts = useRead<AlertCounts>(pagePath(slug, '/alert-counts'), { everyMs });
  const list = useList<ManagedAlert>(pagePath(slug, '/alerts'), {
    ...{ ...keptPart, everyMs, limit: tab === 'past' ? 50 : 100 },
    filter: { state: tab, order: tab === 'past' ? 'newest' : 'worst', ...filter },
  });
  const rules = useRules();
  const retry = (): void => {
    list.read.retry();
    counts.retry();
  };
  const countOf = (one: Tab) => (one === 'past' ? undefined : counts.data?.[one]);
  return (
    <Screen
      title={screens.alerts}
      actions={
        <PermittedButton
          permission="alerts.acknowledge"
          class="button small"
          onClick={() => setSilencing(true)}
        >
          <Icon name="mute" />
          {texts.silence}
        </PermittedButton>
      }
    >
      <Tabs
        label={texts.tabs}
        parameter="show"
        current={tab}
        tabs={tabs.map((key) => {
          const count = countOf(key);
          return {
            ...{ key, title: texts[key] },
            count: count === undefined || count === 0 ? undefined : format.count(count),
          };
        })}
      />
      {tab === 'quiet' && <Silences rules={rules.data?.items ?? []} onChange={retry} />}
      <AlertsPanel {...{ tab, list, rules, filter }} onChange={retry} />
      {isSilencing && (
        <SilenceDialog rules={rules.data?.items ?? []} onClose={() => setSilencing(false)} onChange={retry} />
      )}
    </Screen>
  );
}

type Filter = { severity: AlertSeverity | undefined; rule: string | undefined };
type PanelProps = {
  tab: Tab;
  list: List<ManagedAlert>;
  rules: Read<{ items: readonly RuleName[] }>;
  filter: Filter;
  onChange(): void;
};

function AlertsPanel({ tab, list, rules, filter, onChange }: PanelProps) {
  const texts = useTexts(alertsTexts);
  const isFiltered = filter.severity !== undefined || filter.rule !== undefined;
  const hasChoices = isFiltered || list.read.data?.items.length !== 0;
  return (
    <Panel title={texts[tab]} note={texts.why[tab]} flush>
      {hasChoices && (
        <div class="table-tools list-tools">
          <Filters filter={filter} rules={rules.data?.items ?? []} />
          <Paging {...list} />
        </div>
      )}
      <FailedAddition read={rules}>{texts.rulesFailed}</FailedAddition>
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<Nothing tab={tab} isFiltered={isFiltered} hasRules={rules.data?.items.length !== 0} />}
      >
        {({ items }) => (
          <ul class="alert-rows">
            {items.map((alert) => (
              <AlertRow key={alert.id} alert={alert} onChange={onChange} />
            ))}
          </ul>
        )}
      </ReadView>
    </Panel>
  );
}

function Filters({ filter, rules }: { filter: Filter; rules: readonly RuleName[] }) {
  const texts = useTexts(alertsTexts);
  const { choose } = useAddress();
  const { severity, rule } = filter;
  // A rule that is gone has alerts in the past.
  const unknown = rule !== undefined && !rules.some(({ slug }) => slug === rule);
  return (
    <>
      <Segments
        label={texts.severity}
        value={severity ?? 'all'}
        options={[
          { value: 'all' as const, title: texts.all },
          ...alertSeverities.map((value) => ({ value, title: texts.severities[value] })),
        ]}
        onChoose={(value) => choose({ ...fromNewest, severity: value === 'all' ? undefined : value })}
      />
      <SelectField
        label={texts.rule}
        value={rule ?? ''}
        options={[
          { value: '', title: texts.allRules },
          ...(unknown ? [{ value: rule, title: rule }] : []),
          ...rules.map(({ slug, name }) => ({ value: slug, title: name })),
        ]}
        onChoose={(value) => choose({ ...fromNewest, rule: value || undefined })}
      />
    </>
  );
}

type NothingProps = { tab: Tab; isFiltered: boolean; hasRules: boolean };

/** Says why there is nothing: no rule, no such alert, or all is well. */
export function Nothing({ tab, isFiltered, hasRules }: NothingProps) {
  const texts = useTexts(alertsTexts);
  const { slug } = usePage();
  const { choose } = useAddress();
  if (isFiltered) {
    return (
      <Empty title={texts.noneFound}>
        <button
          type="button"
          class="button small"
          onClick={() => choose({ ...fromNewest, severity: undefined, rule: undefined })}
        >
          {texts.showAll}
        </button>
      </Empty>
    );
  }
  if (!hasRules && tab !== 'past') {
    return (
      <Empty title={texts.noRules}>
        <p>{texts.noRulesWhy}</p>
        <a class="button small" href={pathOfScreen(slug, 'rules')}>
          {texts.makeRule}
        </a>
      </Empty>
    );
  }
  return (
    <Empty title={texts.none[tab]}>
      <p>{texts.noneWhy[tab]}</p>
    </Empty>
  );
}
