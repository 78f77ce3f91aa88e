import type { ManagedIncident } from '../../../../../contract/manage/incidents/incidents.js';
import { useFormat } from '../../../format.js';
import { Panel } from '../../../kit/panel.js';
import { useTexts } from '../../../texts.js';
import { oneTexts } from './texts.js';

const outcomes = ['delivered', 'pending', 'parked'] as const;

/** Counts the messages that announced the incident, by outcome. */
export function Told({ incident: { notifications } }: { incident: ManagedIncident }) {
  const texts = useTexts(oneTexts);
  const { count } = useFormat();
  const rows = [
    { title: texts.emails, counts: notifications.emails },
    { title: texts.webhooks, counts: notifications.webhookDeliveries },
  ].filter(({ counts }) => outcomes.some((outcome) => counts[outcome] > 0));
  return (
    <Panel title={texts.told} note={texts.toldWhy}>
      {rows.length === 0 && <p class="note">{texts.nobody}</p>}
      <dl class="told">
        {rows.map(({ title, counts }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              {outcomes
                .filter((outcome) => counts[outcome] > 0)
                .map((outcome) => (
                  <span key={outcome} class={outcome}>
                    <b>{count(counts[outcome])}</b> {texts[outcome]}
                  </span>
                ))}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
