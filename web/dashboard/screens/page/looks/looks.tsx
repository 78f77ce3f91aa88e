import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { NumberField, TextField } from '../../../kit/form/field.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { ColourField, isColour } from './colour-field.js';
import { LinksField } from './links-field.js';
import { Logo } from './logo.js';
import { PagePreview } from './page-preview.js';
import { looksTexts } from './texts.js';
import { type LooksValues, looksBody } from './values.js';

const valuesOf = ({ name, accent, historyDays, footerLinks, logoAlone }: ManagedPage): LooksValues => ({
  ...{ name, accent: accent ?? '', historyDays: historyDays ?? null, logoAlone },
  footerLinks: footerLinks.map(({ label, url }) => ({ label, url })),
});

/** Name, colour, logo, links and history of the page, beside the page that readers would get. */
export function Looks({ read, page }: PageRead) {
  const texts = useTexts(looksTexts);
  const refusal = useRefusal('page.write');
  const editor = usePageEditor<LooksValues>({
    ...{ read, page, valuesOf, bodyOf: looksBody, keptAs: 'looks', required: ['name'] },
    check: ({ accent, historyDays }) => ({
      ...(accent.trim() !== '' && !isColour(accent) && { accent: texts.noColour }),
      ...((historyDays === null || historyDays < 7 || historyDays > 90) && {
        historyDays: texts.historyRange,
      }),
    }),
  });
  const { values, set, errors } = editor;
  return (
    <div class={refusal === undefined ? 'looks' : 'looks alone'}>
      <div class="looks-form">
        <ReadOnlyNote permission="page.write" />
        <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
          <TextField
            label={texts.name}
            {...editor.field('name')}
            input={{ maxLength: 200, dir: 'auto', autocomplete: 'off' }}
          />
          <ColourField {...editor.field('accent')} />
          <NumberField
            {...{ label: texts.history, hint: texts.historyWhy, error: errors['historyDays'] }}
            {...{ value: values.historyDays, onInput: set('historyDays'), min: 7, max: 90 }}
            unit={texts.days}
          />
          <LinksField
            links={values.footerLinks}
            onChange={set('footerLinks')}
            error={errors['footerLinks']}
          />
          <Switch
            label={texts.logoAlone}
            hint={texts.logoAloneWhy}
            isOn={values.logoAlone}
            onSwitch={set('logoAlone')}
          />
        </SettingsForm>
        <Logo {...{ read, page }} />
      </div>
      {refusal === undefined && <PagePreview page={page} values={values} />}
      <ConflictDialog editor={editor} labels={texts.labels} textOf={textOf} />
    </div>
  );
}

function textOf(field: keyof LooksValues, value: LooksValues[keyof LooksValues]): string {
  if (field !== 'footerLinks' || !Array.isArray(value)) return value === null ? '' : String(value);
  return value.map(({ label, url }) => `${label} – ${url}`).join('\n');
}
