import type { Me } from '../../../../contract/manage/session.js';
import { Field, TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { kitTexts } from '../../kit/texts.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSession } from '../../session.js';
import { textFor, toLanguage, useTexts } from '../../texts.js';
import { Setting } from './setting.js';
import { accountTexts } from './texts.js';

/** The languages of mails and of the sign-in pages. */
const languages = [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['ja', '日本語'],
] as const;

/** Name and language. */
export function Profile() {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const kit = useTexts(kitTexts);
  const { email = '', language = null } = me.caller;
  const form = useProfileForm();
  return (
    <Setting title={texts.profile} note={texts.profileWhy}>
      <Form
        form={form}
        done={form.isDone ? kit.saved : undefined}
        actions={
          <SubmitButton form={form} needsChange>
            {kit.save}
          </SubmitButton>
        }
      >
        <TextField
          label={texts.name}
          {...form.field('name')}
          input={{ autocomplete: 'name', maxLength: 200, dir: 'auto' }}
        />
        <TextField
          label={texts.email}
          hint={texts.emailWhy}
          value={email}
          onInput={() => {}}
          input={{ readOnly: true, autocomplete: 'username' }}
        />
        <LanguageField
          value={form.values.language}
          own={language}
          onChoose={form.set('language')}
          error={form.errors['language']}
        />
      </Form>
    </Setting>
  );
}

function useProfileForm() {
  const { me, setMe, language: shown } = useSession();
  const texts = useTexts(accountTexts);
  const { name, language = null } = me.caller;
  return useForm({
    initial: { name, language: language ?? '' },
    required: ['name'],
    async send(given) {
      const chosen = given.language === '' ? null : given.language;
      const changed = await sendJson<Me>('PATCH', '/api/v1/me', { name: given.name, language: chosen });
      setMe(changed);
      const isOther = given.language !== (language ?? '');
      if (isOther && toLanguage(chosen ?? navigator.language) !== shown) location.reload();
    },
    word: (field) => textFor(texts.problems, field),
  });
}

type LanguageProps = {
  value: string;
  /** The language of the account, which may be one that the list lacks. */
  own: string | null;
  onChoose(language: string): void;
  error: string | undefined;
};

/** An empty value stands for the language of the browser. */
function LanguageField({ value, own, onChoose, error }: LanguageProps) {
  const texts = useTexts(accountTexts);
  return (
    <Field label={texts.language} hint={texts.languageWhy} error={error}>
      {(input) => (
        <select {...input} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          <option value="">{texts.asBrowser}</option>
          {languages.map(([tag, title]) => (
            <option key={tag} value={tag} lang={tag}>
              {title}
            </option>
          ))}
          {own !== null && !languages.some(([tag]) => tag === own) && <option value={own}>{own}</option>}
        </select>
      )}
    </Field>
  );
}
