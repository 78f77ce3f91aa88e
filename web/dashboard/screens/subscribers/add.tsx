import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { ManagedSubscriber } from '../../../../contract/manage/subscribers.js';
import { useAddress } from '../../address/use-address.js';
import { Dialog } from '../../kit/dialog.js';
import { SelectField, Switch } from '../../kit/form/choices.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { Icon } from '../../kit/icons.js';
import { useLanguageName } from '../../kit/language-name.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { announce } from '../../reads/announce.js';
import { pagePath } from '../../reads/api-path.js';
import { type ReadError, sendJson } from '../../reads/fetch-json.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

/** Opens the form for one address; the address of the screen says that it is open. */
export function AddButton() {
  const texts = useSubscribersTexts();
  const { query, choose } = useAddress();
  return (
    <>
      <PermittedButton
        permission="notifications.write"
        class="button small"
        onClick={() => choose({ new: 'subscriber' })}
      >
        <Icon name="plus" />
        {texts.addOne}
      </PermittedButton>
      {query['new'] === 'subscriber' && <AddDialog onClose={() => choose({ new: undefined })} />}
    </>
  );
}

function AddDialog({ onClose }: { onClose(): void }) {
  const texts = useSubscribersTexts();
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  const nameOf = useLanguageName();
  const languages = useRead<ManagedPage>(pagePath(slug, '')).data?.languages ?? [];
  const form = useForm({
    initial: { email: '', language: '', confirmed: false },
    keptAs: 'new subscriber',
    required: ['email'],
    async send({ email, language, confirmed }) {
      const added = await sendJson<ManagedSubscriber>('POST', pagePath(slug, '/subscribers'), {
        ...{ email, confirmed },
        ...(language !== '' && { language }),
      });
      showNotice(
        confirmed ? texts.addedConfirmed({ email: added.email }) : texts.addedWaiting({ email: added.email }),
      );
      announce('subscribers');
      onClose();
    },
    explain: (error) => explain(error, texts.noAddress),
  });
  return (
    <Dialog title={texts.addTitle} onClose={onClose}>
      <Form form={form} actions={<FormButtons action={texts.add} form={form} onClose={onClose} />}>
        <TextField
          label={texts.email}
          {...form.field('email')}
          input={{ autocomplete: 'off', inputMode: 'email', spellcheck: false }}
        />
        <SelectField
          label={`${texts.language} (${kit.optional})`}
          hint={texts.languageWhy}
          value={form.values.language}
          onChoose={form.set('language')}
          error={form.errors['language']}
          options={[
            { value: '', title: texts.pageLanguage },
            ...languages.map((tag) => ({ value: tag, title: nameOf(tag) })),
          ]}
        />
        <Switch
          label={texts.consent}
          hint={form.values.confirmed ? texts.consentOn : texts.consentOff}
          isOn={form.values.confirmed}
          onSwitch={form.set('confirmed')}
        />
      </Form>
    </Dialog>
  );
}

/** A refusal of an address names no field. */
function explain({ status, message }: ReadError, noAddress: string) {
  if (status === 400) return { email: noAddress };
  return status === 409 ? { email: message } : undefined;
}
