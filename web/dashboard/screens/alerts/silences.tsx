import type { ManagedSilence } from '../../../../contract/manage/alerts.js';
import { useFormat } from '../../format.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { useEndSilence } from './silence-dialog.js';
import { type AlertsTexts, alertsTexts } from './texts.js';
import type { RuleName } from './use-rules.js';

const everyMs = 10_000;
/** A page has at most a hundred that hold, and the newest come first. */
const limit = '200';

type SilencesProps = { rules: readonly RuleName[]; onChange(): void };

/** The silences that hold, each with a button that ends it. */
export function Silences({ rules, onChange }: SilencesProps) {
  const { slug } = usePage();
  const read = useRead<{ items: readonly ManagedSilence[] }>(pagePath(slug, '/silences', { limit }), {
    everyMs,
  });
  const end = useEndSilence(() => {
    read.retry();
    onChange();
  });
  return <SilencesPanel read={read} rules={rules} onEnd={(id) => void end(id)} />;
}

type PanelProps = {
  read: Read<{ items: readonly ManagedSilence[] }>;
  rules: readonly RuleName[];
  onEnd(id: string): void;
};

/** Draws the silences, the one that ends first on top. */
export function SilencesPanel({ read, rules, onEnd }: PanelProps) {
  const texts = useTexts(alertsTexts);
  return (
    <Panel title={texts.silences} note={texts.silencesWhy} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={2} />}
        isEmpty={({ items }) => items.every(({ isActive }) => !isActive)}
        empty={<p class="silence-none">{texts.noSilence}</p>}
      >
        {({ items }) => (
          <ul class="silence-rows">
            {items
              .filter(({ isActive }) => isActive)
              .toSorted((a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt))
              .map((silence) => (
                <Row key={silence.id} silence={silence} rules={rules} onEnd={onEnd} />
              ))}
          </ul>
        )}
      </ReadView>
    </Panel>
  );
}

type RowProps = Pick<PanelProps, 'rules' | 'onEnd'> & { silence: ManagedSilence };

function Row({ silence, rules, onEnd }: RowProps) {
  const texts = useTexts(alertsTexts);
  const format = useFormat();
  const { id, createdBy, endsAt, note } = silence;
  const end = Date.parse(endsAt);
  const what = coveredBy(silence, { texts, rules });
  const left = Math.max(0, Math.round((end - Date.now()) / 1_000));
  return (
    <li class="silence-row">
      <div>
        <strong dir="auto">{what}</strong>
        <p class="note">
          <span dir="auto">{texts.by({ name: createdBy })}</span>
          {note !== '' && <span dir="auto">{note}</span>}
        </p>
      </div>
      <p class="alert-when">
        <time dateTime={endsAt} title={format.full(end)}>
          {format.moment(end)}
        </time>
        <span class="note">{texts.left({ span: format.roughSpan(left) })}</span>
      </p>
      <PermittedButton
        permission="alerts.acknowledge"
        class="button small"
        label={texts.endOf({ what })}
        onClick={() => onEnd(id)}
      >
        {texts.endNow}
      </PermittedButton>
    </li>
  );
}

type Covered = Pick<ManagedSilence, 'rule' | 'service' | 'endpoint' | 'severity'>;

/** Returns what a silence covers in a few words. */
export function coveredBy(
  { rule, service, endpoint, severity }: Covered,
  { texts, rules }: { texts: AlertsTexts; rules: readonly RuleName[] },
): string {
  const place =
    service !== null && endpoint !== null ? texts.ofService({ endpoint, service }) : (endpoint ?? service);
  const parts = [
    rule === null ? null : (rules.find(({ slug }) => slug === rule)?.name ?? rule),
    place,
    severity === null ? null : texts.severities[severity],
  ].filter((part) => part !== null);
  return parts.length === 0 ? texts.everything : parts.join(' · ');
}
