import { PasswordField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useSession } from '../../session.js';
import { textFor, useTexts } from '../../texts.js';
import { refusedProof } from './refused-proof.js';
import { Setting } from './setting.js';
import { accountTexts } from './texts.js';

/** `onChanged` follows a change, which ends the other sessions. */
export function Password({ onChanged }: { onChanged(): void }) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  return (
    <Setting title={texts.password} note={texts.passwordWhy}>
      {me.caller.hasPassword === false ? <p>{texts.noPassword}</p> : <ChangePassword onChanged={onChanged} />}
    </Setting>
  );
}

function ChangePassword({ onChanged }: { onChanged(): void }) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const form = useForm({
    initial: { currentPassword: '', password: '' },
    required: ['currentPassword', 'password'],
    async send(given) {
      await sendJson('POST', '/api/v1/me/password', given);
      onChanged();
    },
    explain: (error) => refusedProof(error, texts, { password: 'currentPassword' }),
    word: (_, code = '') => textFor(texts.problems, code),
  });
  return (
    <Form
      form={form}
      done={form.isDone ? texts.passwordChanged : undefined}
      actions={<SubmitButton form={form}>{texts.changePassword}</SubmitButton>}
    >
      {/* Tells password managers whose password it is. */}
      <input type="email" autocomplete="username" value={me.caller.email ?? ''} readOnly hidden />
      <PasswordField
        label={texts.currentPassword}
        autocomplete="current-password"
        {...form.field('currentPassword')}
      />
      <PasswordField
        label={texts.newPassword}
        hint={texts.newPasswordWhy}
        autocomplete="new-password"
        {...form.field('password')}
      />
    </Form>
  );
}
