import type { ManagedAlertWithNotices } from '../../../../../contract/manage/alerts.js';
import { useAddress } from '../../../address/use-address.js';
import { Icon } from '../../../kit/icons.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { shellTexts } from '../../../shell/texts.js';
import { useTexts } from '../../../texts.js';
import { AnswerDialog, useAsked, useGiveBack } from '../answer.js';
import { useSayAlert } from '../say.js';
import { SilenceDialog } from '../silence-dialog.js';
import { alertsTexts } from '../texts.js';
import { useRules } from '../use-rules.js';
import { Evidence } from './evidence.js';
import { Facts } from './facts.js';
import { Links } from './links.js';
import { Notified } from './notified.js';
import { Series } from './series.js';

/** Who was told changes within seconds. */
const everyMs = 5_000;

/** One alert: what is wrong, since when, what an engineer looks up first, and who knows of it. */
export function OneAlert({ id }: { id: string }) {
  const texts = useTexts(alertsTexts);
  const { screens } = useTexts(shellTexts);
  const say = useSayAlert();
  const { slug } = usePage();
  const { path, to } = useAddress();
  const read = useRead<ManagedAlertWithNotices>(pagePath(slug, `/alerts/${encodeURIComponent(id)}`), {
    everyMs,
  });
  const alert = read.data;
  return (
    <Screen
      title={alert === undefined ? texts.alert : say.title(alert)}
      crumbs={[{ title: screens.alerts, href: to(path) }]}
      actions={
        alert !== undefined &&
        alert.state !== 'resolved' && <AlertActions alert={alert} onChange={read.retry} />
      }
    >
      <ReadView read={read} skeleton={<Loading />}>
        {(data) => <Parts alert={data} onChange={read.retry} />}
      </ReadView>
    </Screen>
  );
}

function Loading() {
  return (
    <div class="alert-columns">
      <div class="alert-column">
        <Skeleton height={170} />
        <Skeleton height={260} />
        <Skeleton height={240} />
      </div>
      <div class="alert-column">
        <Skeleton height={160} />
      </div>
    </div>
  );
}

type PartsProps = { alert: ManagedAlertWithNotices; onChange(): void };

/** Draws an alert. */
export function Parts({ alert, onChange }: PartsProps) {
  return (
    <div class="alert-columns">
      <div class="alert-column">
        <Facts alert={alert} onChange={onChange} />
        <Series alert={alert} />
        <Evidence alert={alert} />
      </div>
      <div class="alert-column">
        <Notified alert={alert} />
        <Links alert={alert} />
      </div>
    </div>
  );
}

function AlertActions({ alert, onChange }: PartsProps) {
  const texts = useTexts(alertsTexts);
  const rules = useRules();
  const giveBack = useGiveBack({ alert, onChange });
  const { asked, ask, close } = useAsked<'acknowledge' | 'resolve' | 'silence'>();
  const isAcknowledged = alert.acknowledgedAt !== null;
  const permission = 'alerts.acknowledge';
  return (
    <>
      {isAcknowledged ? (
        <>
          <PermittedButton {...{ permission }} class="button small" onClick={() => void giveBack()}>
            {texts.unacknowledge}
          </PermittedButton>
          <PermittedButton {...{ permission }} class="button small" onClick={() => ask('acknowledge')}>
            <Icon name="edit" />
            {texts.changeNote}
          </PermittedButton>
        </>
      ) : (
        <PermittedButton {...{ permission }} class="button small main" onClick={() => ask('acknowledge')}>
          <Icon name="check" />
          {texts.acknowledge}
        </PermittedButton>
      )}
      <PermittedButton {...{ permission }} class="button small" onClick={() => ask('silence')}>
        <Icon name="mute" />
        {texts.silence}
      </PermittedButton>
      <PermittedButton {...{ permission }} class="button small" onClick={() => ask('resolve')}>
        {texts.resolve}
      </PermittedButton>
      {asked === 'silence' && (
        <SilenceDialog rules={rules.data?.items ?? []} alert={alert} onChange={onChange} onClose={close} />
      )}
      {(asked === 'acknowledge' || asked === 'resolve') && (
        <AnswerDialog alert={alert} verb={asked} onChange={onChange} onClose={close} />
      )}
    </>
  );
}
