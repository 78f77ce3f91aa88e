import type { ManagedAlert } from '../../../../../contract/manage/alerts.js';
import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { searchOf } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { Panel } from '../../../kit/panel.js';
import { FailedAddition } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { severityTones, useSayAlert } from '../../alerts/say.js';
import { alertsTexts } from '../../alerts/texts.js';
import { oneTexts } from './texts.js';

const everyMs = 30_000;
/** An incident is opened by one message, which may have many alerts. */
const limit = '50';

/** The alerts that opened an incident, newest first. Draws nothing for one that people opened. */
export function IncidentAlerts({ incident }: { incident: ManagedIncident }) {
  const texts = useTexts(oneTexts);
  const { slug } = usePage();
  const query = { incident: incident.id, state: 'all', limit };
  const read = useRead<{ items: readonly ManagedAlert[] }>(pagePath(slug, '/alerts', query), { everyMs });
  const alerts = read.data?.items ?? [];
  if (alerts.length === 0) return <FailedAddition read={read}>{texts.alertsFailed}</FailedAddition>;
  return (
    <Panel title={texts.alerts} note={texts.alertsWhy}>
      <ul class="incident-alerts">
        {alerts.map((alert) => (
          <AlertLine key={alert.id} alert={alert} />
        ))}
      </ul>
    </Panel>
  );
}

function AlertLine({ alert }: { alert: ManagedAlert }) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const say = useSayAlert();
  const { slug } = usePage();
  const { id, state, severity, startedAt } = alert;
  const start = Date.parse(startedAt);
  return (
    <li>
      <a href={`${pathOfScreen(slug, 'alerts')}${searchOf({ alert: id })}`} dir="auto">
        {say.title(alert)}
      </a>
      <p class="note">
        <Badge tone={state === 'resolved' ? 'good' : severityTones[severity]}>{texts.states[state]}</Badge>
        <time dateTime={startedAt} title={format.full(start)}>
          {format.moment(start)}
        </time>
      </p>
    </li>
  );
}
