import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { traceUrlChars } from '../../../../../contract/manage/trace-url.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { tracesTexts } from './texts.js';

type Values = { traceUrl: string };

const valuesOf = ({ traceUrl }: ManagedPage): Values => ({ traceUrl: traceUrl ?? '' });

/** Where samples of failures link to their traces. */
export function Traces({ read, page }: PageRead) {
  const texts = useTexts(tracesTexts);
  const refusal = useRefusal('page.write');
  const editor = usePageEditor<Values>({
    ...{ read, page, valuesOf, keptAs: 'traces' },
    bodyOf: ({ traceUrl = '' }) => ({ traceUrl: traceUrl.trim() === '' ? null : traceUrl.trim() }),
  });
  return (
    <div class="page-part">
      <ReadOnlyNote permission="page.write" />
      <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
        <TextField
          label={texts.url}
          hint={texts.urlWhy({ traceId: '{traceId}', spanId: '{spanId}' })}
          {...editor.field('traceUrl')}
          input={{
            ...{ inputMode: 'url', spellcheck: false, maxLength: traceUrlChars, autocomplete: 'off' },
            placeholder: 'https://tempo.example/trace/{traceId}',
          }}
        />
      </SettingsForm>
      <ConflictDialog editor={editor} labels={{ traceUrl: texts.url }} />
    </div>
  );
}
