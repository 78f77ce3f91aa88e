import type { ManagedPage } from '../../../../../contract/manage/pages.js';
import { Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { AreaField } from '../../../kit/form/field.js';
import { SettingsForm } from '../../../kit/form/settings-form.js';
import { ReadOnlyNote, useRefusal } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { type PageRead, usePageEditor } from '../use-page-editor.js';
import { ReaderPassword } from './reader-password.js';
import { readersTexts } from './texts.js';

type Values = { private: boolean; allowedAddresses: string; publicMetrics: boolean };

const valuesOf = (page: ManagedPage): Values => ({
  private: page.private,
  allowedAddresses: page.allowedAddresses.join('\n'),
  publicMetrics: page.publicMetrics,
});

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

/** Who may read the page. */
export function Readers({ read, page }: PageRead) {
  const texts = useTexts(readersTexts);
  const refusal = useRefusal('page.write');
  const editor = usePageEditor<Values>({
    ...{ read, page, valuesOf, keptAs: 'readers' },
    bodyOf: ({ allowedAddresses, ...values }) => ({
      ...values,
      ...(allowedAddresses !== undefined && { allowedAddresses: linesOf(allowedAddresses) }),
    }),
  });
  const { values, set } = editor;
  return (
    <div class="page-part">
      <ReadOnlyNote permission="page.write" />
      <SettingsForm {...{ editor, title: texts.title, note: texts.why, isReadOnly: refusal !== undefined }}>
        <Switch
          label={texts.private}
          hint={texts.privateWhy}
          isOn={values.private}
          onSwitch={set('private')}
        />
        <AreaField label={texts.addresses} hint={texts.addressesWhy} {...editor.field('allowedAddresses')} />
        <Switch
          label={texts.metrics}
          hint={texts.metricsWhy}
          isOn={values.publicMetrics}
          onSwitch={set('publicMetrics')}
        />
      </SettingsForm>
      <ReaderPassword read={read} page={page} isDisabled={refusal !== undefined} />
      <ConflictDialog
        editor={editor}
        labels={{
          ...{ private: texts.private, allowedAddresses: texts.addresses },
          publicMetrics: texts.metrics,
        }}
        textOf={(_, value) => (typeof value === 'boolean' ? (value ? texts.on : texts.off) : value)}
      />
    </div>
  );
}
