import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { Field } from '../../../kit/form/field.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { Panel } from '../../../kit/panel.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { LanguageList } from './language-list.js';
import { languagesTexts } from './texts.js';

type Values = { languages: string[]; defaultLanguage: string; timeZone: string };

const valuesOf = ({ languages, defaultLanguage, timeZone }: ManagedPage): Values => ({
  ...{ languages: [...languages], defaultLanguage, timeZone },
});

/** The languages of the page, and the clock by which its maintenance is planned. */
export function Languages({ read, page }: PageRead) {
  const texts = useTexts(languagesTexts);
  const refusal = useRefusal('page.write');
  const editor = usePageEditor<Values>({
    ...{ read, page, valuesOf, keptAs: 'languages' },
    // Nothing else has a place for what is wrong with it.
    fieldOf: (field) => (field === 'timeZone' ? field : undefined),
  });
  const { values, set, errors } = editor;
  return (
    <div class="page-part">
      <ReadOnlyNote permission="page.write" />
      <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
        <LanguageList
          languages={values.languages}
          defaultLanguage={values.defaultLanguage}
          onChange={set('languages')}
          onDefault={set('defaultLanguage')}
        />
        <ZoneField value={values.timeZone} onChoose={set('timeZone')} error={errors['timeZone']} />
      </SettingsForm>
      <Panel title={texts.whatHappens}>
        <ul class="plain-points">
          <li>{texts.added}</li>
          <li>{texts.removed}</li>
          <li>{texts.defaults}</li>
        </ul>
      </Panel>
      <ConflictDialog editor={editor} labels={texts.labels} />
    </div>
  );
}

type ZoneProps = { value: string; onChoose(zone: string): void; error: string | undefined };

/** The zones that the browser knows; a zone that is saved and unknown here stays one of them. */
function ZoneField({ value, onChoose, error }: ZoneProps) {
  const texts = useTexts(languagesTexts);
  const zones = [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <Field label={texts.zone} hint={texts.zoneWhy} error={error}>
      {(input) => (
        <select {...input} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {zones.map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
