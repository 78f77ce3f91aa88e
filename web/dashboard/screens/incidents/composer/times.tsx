import { Segments } from '../../../kit/form/choices.js';
import { TimeField } from '../../../kit/form/time-field.js';
import { useTexts } from '../../../texts.js';
import { composerTexts } from './texts.js';
import type { ComposerFormProps } from './use-composer.js';

/** When it began, which is usually now; of maintenance, when it begins and ends. */
export function Times({ type, form, page }: ComposerFormProps) {
  const { values, set } = form;
  const texts = useTexts(composerTexts);
  const zone = page?.timeZone ?? 'UTC';
  const start = { ...form.field('startedAt'), zone };
  if (type === 'maintenance') {
    return (
      <div class="incident-times">
        <TimeField label={texts.startsAt} {...start} />
        <TimeField label={texts.endsAt} {...form.field('scheduledEndAt')} zone={zone} />
      </div>
    );
  }
  return (
    <div class="incident-times">
      <Segments
        label={texts.start}
        value={values.start}
        onChoose={(chosen) => {
          set('start')(chosen);
          if (chosen === 'earlier' && values.startedAt === '') set('startedAt')(new Date().toISOString());
        }}
        options={(['now', 'earlier'] as const).map((value) => ({ value, title: texts[value] }))}
      />
      {values.start === 'earlier' && <TimeField label={texts.startedAt} {...start} />}
    </div>
  );
}
