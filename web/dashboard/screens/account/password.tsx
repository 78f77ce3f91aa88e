import { PasswordField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
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
      {...form}
      onSubmit={form.submit}
      done={form.isDone ? texts.passwordChanged : undefined}
      actions={
        <button type="submit" class="button" aria-disabled={form.isSending}>
          {texts.changePassword}
        </button>
      }
    >
      {/* Tells password managers whose password it is. */}
      <input type="email" autocomplete="username" value={me.caller.email ?? ''} readOnly hidden />
      <PasswordField
        label={texts.currentPassword}
        autocomplete="current-password"
        value={form.values.currentPassword}
        onInput={form.set('currentPassword')}
        error={form.errors['currentPassword']}
      />
      <PasswordField
        label={texts.newPassword}
        hint={texts.newPasswordWhy}
        autocomplete="new-password"
        value={form.values.password}
        onInput={form.set('password')}
        error={form.errors['password']}
      />
    </Form>
  );
}
