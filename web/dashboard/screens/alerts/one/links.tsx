import type { ManagedAlert } from '../../../../../contract/manage/alerts.js';
import type { RuleKind } from '../../../../../contract/manage/rules.js';
import { type AddressChanges, searchOf } from '../../../address/use-address.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { usePage } from '../../../session.js';
import { pathOfScreen, type ScreenName } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { type AlertsTexts, alertsTexts } from '../texts.js';
import { rangeAround, requestFilters } from './course.js';

type Link = { title: string; screen: ScreenName; query: AddressChanges };

/** Ways from an alert to the screens that say more, over the time around its start. */
export function Links({ alert }: { alert: ManagedAlert }) {
  const texts = useTexts(alertsTexts);
  const { slug, may } = usePage();
  return (
    <Panel title={texts.links}>
      <ul class="alert-links">
        {linksOf(alert, texts, Date.now())
          .filter(({ screen }) => screen !== 'audit' || may('audit.read'))
          .map(({ title, screen, query }) => (
            <li key={title}>
              <a href={`${pathOfScreen(slug, screen)}${searchOf(query)}`}>
                {title}
                <Icon name="right" />
              </a>
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** Returns the links of an alert: the one that its kind is about first. `now` is in milliseconds since the epoch. */
export function linksOf(alert: ManagedAlert, texts: AlertsTexts, now: number): Link[] {
  const range = rangeAround(alert, now);
  const { monitor, objective } = alert.subject;
  const traffic = {
    title: texts.linkTraffic,
    screen: 'traffic',
    query: { ...range, ...requestFilters(alert) },
  } as const;
  const first: Readonly<Record<RuleKind, Link>> = {
    'failure-rate': { ...traffic, query: { ...traffic.query, order: 'errors' } },
    latency: traffic,
    traffic,
    reporter: { title: texts.linkReporters, screen: 'reporters', query: {} },
    monitor: { title: texts.linkMonitor, screen: 'monitors', query: { ...range, monitor } },
    pool: { title: texts.linkDatabases, screen: 'databases', query: range },
    'burn-rate': { title: texts.linkObjective, screen: 'objectives', query: { objective } },
    query: { title: texts.linkSql, screen: 'sql', query: range },
  };
  return [
    first[alert.rule.kind],
    ...(alert.rule.kind === 'burn-rate' ? [traffic] : []),
    { title: texts.linkDeployments, screen: 'deployments', query: { service: alert.subject.service } },
    { title: texts.linkRule, screen: 'rules', query: { rule: alert.rule.slug } },
    { title: texts.linkAudit, screen: 'audit', query: {} },
  ];
}
