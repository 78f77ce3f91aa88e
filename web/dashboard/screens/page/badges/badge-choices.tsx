import type { BadgeMetric, BadgeStyle, BadgeWindow } from '../../../../../contract/public/badges.js';
import { Segments, SelectField } from '../../../kit/form/choices.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import type { BadgeChoice } from './snippets.js';
import { badgesTexts } from './texts.js';

type ChoicesProps = { slug: string; choice: BadgeChoice; onChange(choice: BadgeChoice): void };
type Monitors = { items: readonly { slug: string; name: string }[] };

const metrics: readonly BadgeMetric[] = ['status', 'uptime', 'response-time'];
const windows: readonly BadgeWindow[] = ['24h', '7d', '30d', '90d', '365d'];
const styles: readonly BadgeStyle[] = ['flat', 'flat-square', 'plastic'];

/** Choices of what a badge is about, and what it shows. The whole page can be chosen while its monitors are unknown. */
export function BadgeChoices({ slug, choice, onChange }: ChoicesProps) {
  const texts = useTexts(badgesTexts);
  const monitors = useRead<Monitors>(pagePath(slug, '/monitors', { limit: '200' })).data?.items ?? [];
  const { service, metric, window, style } = choice;
  const change = (changes: Partial<BadgeChoice>): void => onChange({ ...choice, ...changes });
  return (
    <div class="badge-choices">
      <SelectField
        label={texts.of}
        options={[
          { value: '', title: texts.wholePage },
          ...monitors.map((one) => ({ value: one.slug, title: one.name })),
        ]}
        value={service?.slug ?? ''}
        onChoose={(value) => change({ service: monitors.find((one) => one.slug === value) })}
      />
      {service !== undefined && (
        <Segments
          label={texts.metric}
          options={metrics.map((value) => ({ value, title: texts.metrics[value] }))}
          value={metric}
          onChoose={(value) => change({ metric: value })}
        />
      )}
      {service !== undefined && metric !== 'status' && (
        <SelectField
          label={texts.window}
          options={windows.map((value) => ({ value, title: texts.windows[value] }))}
          value={window}
          onChoose={(value) => change({ window: value })}
        />
      )}
      <Segments
        label={texts.style}
        options={styles.map((value) => ({ value, title: texts.styles[value] }))}
        value={style}
        onChoose={(value) => change({ style: value })}
      />
    </div>
  );
}
