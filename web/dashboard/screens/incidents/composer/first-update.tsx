import { MarkdownField } from '../../../kit/form/markdown-field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { useTexts } from '../../../texts.js';
import { textCharsMax } from '../limits.js';
import { StatusSteps } from '../one/status-steps.js';
import { composerTexts } from './texts.js';
import type { ComposerValues } from './use-composer.js';

/** The status with which the incident begins, and its first update where more is known already. */
export function FirstUpdate({ form }: { form: FormState<ComposerValues> }) {
  const { values, set } = form;
  const texts = useTexts(composerTexts);
  const isShown = values.status !== 'investigating' || values.body !== '';
  return (
    <div class="first-update">
      <StatusSteps isNew value={values.status} onChoose={set('status')} />
      {isShown && (
        <>
          <p class="note">{texts.firstUpdateWhy}</p>
          <MarkdownField label={texts.firstBody} {...form.field('body')} rows={3} maxLength={textCharsMax} />
        </>
      )}
    </div>
  );
}
