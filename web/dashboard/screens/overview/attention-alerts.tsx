import type { ComponentChildren } from 'preact';
import type { OverviewAnswer } from '../../../../contract/manage/overview.js';
import { searchOf } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { usePage } from '../../session.js';
import { incidentPath, pathOfScreen } from '../../shell/screens.js';
import { useTexts } from '../../texts.js';
import { severityTones, useSayAlert } from '../alerts/say.js';
import { alertsTexts } from '../alerts/texts.js';
import { Row } from './attention-row.js';
import { overviewTexts } from './texts.js';

/** More would push the figures out of sight. */
const alertsShown = 5;

type OpenAlert = OverviewAnswer['alerts']['items'][number];

/** Returns a row for each of the worst alerts, and one that leads to the others. */
export function alertRows({ alerts: { items, count } }: OverviewAnswer): ComponentChildren[] {
  const rows = items.slice(0, alertsShown).map((alert) => <AlertRow key={alert.id} alert={alert} />);
  const left = count - rows.length;
  return left > 0 ? [...rows, <MoreAlerts key="more-alerts" count={left} />] : rows;
}

function AlertRow({ alert }: { alert: OpenAlert }) {
  const texts = useTexts(alertsTexts);
  const { withIncident } = useTexts(overviewTexts);
  const { slug } = usePage();
  const format = useFormat();
  const say = useSayAlert();
  const { id, severity, rule, startedAt, acknowledgedBy, incidentId } = alert;
  const start = Date.parse(startedAt);
  const seconds = Math.max(0, Math.round((Date.now() - start) / 1_000));
  return (
    <Row tone={severityTones[severity]} kind={texts.severities[severity]}>
      <a href={`${pathOfScreen(slug, 'alerts')}${searchOf({ alert: id })}`} dir="auto">
        {say.title(alert)}
      </a>
      <span class="note">
        <span dir="auto">{rule.name}</span> ·{' '}
        <time dateTime={startedAt} title={format.full(start)}>
          {texts.since({ span: format.roughSpan(seconds) })}
        </time>
        {acknowledgedBy !== null && ` · ${texts.acknowledgedBy({ name: acknowledgedBy })}`}
        {incidentId !== null && (
          <>
            {' · '}
            <a href={incidentPath(slug, incidentId)}>{withIncident}</a>
          </>
        )}
      </span>
    </Row>
  );
}

function MoreAlerts({ count }: { count: number }) {
  const texts = useTexts(overviewTexts);
  const { slug } = usePage();
  const format = useFormat();
  return (
    <Row tone="none" kind={texts.allAlerts}>
      <a href={pathOfScreen(slug, 'alerts')}>{texts.moreAlerts({ count: format.count(count) })}</a>
    </Row>
  );
}
