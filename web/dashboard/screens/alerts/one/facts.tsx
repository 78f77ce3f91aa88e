import type { ComponentChildren } from 'preact';
import type { ManagedAlert } from '../../../../../contract/manage/alerts.js';
import { searchOf } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { incidentPath, pathOfScreen } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { standingOf } from '../alert-row.js';
import { severityTones, useSayAlert } from '../say.js';
import { useEndSilence } from '../silence-dialog.js';
import { alertsTexts } from '../texts.js';

type FactsProps = { alert: ManagedAlert; onChange(): void };

/** How an alert is: its figure against the limit, since when, and who looks after it. */
export function Facts({ alert, onChange }: FactsProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const say = useSayAlert();
  const { severity, state, value, threshold, note } = alert;
  const tone = state === 'resolved' ? 'none' : severityTones[severity];
  return (
    <section class={`panel alert-head ${tone}`} aria-label={texts.facts}>
      <div class="panel-body">
        <div class="alert-line">
          <Badge tone={tone}>{texts.severities[severity]}</Badge>
          <Badge tone={state === 'resolved' ? 'good' : 'none'}>{texts.states[state]}</Badge>
          <span class="note" dir="auto">
            {standingOf(alert, { texts, format })}
          </span>
        </div>
        {value !== null && (
          <p class="alert-figure">
            <strong>{say.figure(alert, value)}</strong>
            {threshold !== null && (
              <span class="note">{texts.limit({ value: say.figure(alert, threshold) })}</span>
            )}
          </p>
        )}
        {note !== null && note !== '' && (
          <blockquote class="alert-quote" dir="auto">
            {note}
          </blockquote>
        )}
        <FactList alert={alert} onChange={onChange} />
      </div>
    </section>
  );
}

function FactList({ alert, onChange }: FactsProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const say = useSayAlert();
  const { slug } = usePage();
  const { rule, startedAt, resolvedAt, acknowledgedBy, heldBy, silence, incidentId } = alert;
  const start = Date.parse(startedAt);
  const end = resolvedAt === null ? Date.now() : Date.parse(resolvedAt);
  return (
    <dl class="alert-facts">
      <Fact title={texts.began}>
        <Moment at={startedAt} />
      </Fact>
      {resolvedAt !== null && (
        <Fact title={texts.ended}>
          <Moment at={resolvedAt} />
        </Fact>
      )}
      <Fact title={resolvedAt === null ? texts.durationNow : texts.duration}>
        {format.duration(Math.max(0, Math.round((end - start) / 1_000)))}
      </Fact>
      <Fact title={texts.about}>
        <span dir="auto">{say.what(alert) ?? texts.wholePage}</span>
      </Fact>
      <Fact title={texts.rule}>
        <a href={`${pathOfScreen(slug, 'rules')}${searchOf({ rule: rule.slug })}`} dir="auto">
          {rule.name}
        </a>
      </Fact>
      {(acknowledgedBy !== null || resolvedAt === null) && (
        <Fact title={texts.lookedAfter}>
          <span dir="auto">{acknowledgedBy ?? texts.nobody}</span>
        </Fact>
      )}
      {heldBy !== null && resolvedAt === null && (
        <Fact title={texts.heldFact}>
          <span dir="auto">{texts.heldBy({ name: heldBy })}</span>
        </Fact>
      )}
      {silence !== null && <SilenceFact silence={silence} onChange={onChange} />}
      {incidentId !== null && (
        <Fact title={texts.incident}>
          <a href={incidentPath(slug, incidentId)}>{texts.openIncident}</a>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Moment({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} title={format.full(Date.parse(at))}>
      {format.moment(Date.parse(at))}
    </time>
  );
}

type SilenceProps = { silence: NonNullable<ManagedAlert['silence']>; onChange(): void };

function SilenceFact({ silence, onChange }: SilenceProps) {
  const texts = useTexts(alertsTexts);
  const end = useEndSilence(onChange);
  return (
    <Fact title={texts.silenceFact}>
      <Moment at={silence.endsAt} />{' '}
      <PermittedButton
        permission="alerts.acknowledge"
        class="link-button"
        onClick={() => void end(silence.id)}
      >
        {texts.endNow}
      </PermittedButton>
    </Fact>
  );
}
