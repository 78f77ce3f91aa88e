import { useLayoutEffect, useRef } from 'preact/hooks';
import { PasswordField, TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { useForm } from '../../../kit/form/use-form.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { refusedProof } from '../refused-proof.js';
import { accountTexts } from '../texts.js';

type RemoveAppProps = { onRemoved(): void; onCancel(): void };

/** Asks for the password, where there is one, and for a code. */
export function RemoveApp({ onRemoved, onCancel }: RemoveAppProps) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const { cancel } = useTexts(kitTexts);
  const hasPassword = me.caller.hasPassword !== false;
  const first = useRef<HTMLInputElement>(null);
  const form = useForm({
    initial: { password: '', code: '' },
    required: hasPassword ? ['password', 'code'] : ['code'],
    async send({ password, code }) {
      await sendJson('DELETE', '/api/v1/me/totp', hasPassword ? { password, code } : { code });
      onRemoved();
    },
    explain: (error) => refusedProof(error, texts, { password: 'password', code: 'code' }),
  });
  useLayoutEffect(() => first.current?.focus(), []);
  return (
    <Form
      form={form}
      actions={
        <>
          <button type="submit" class="button danger" aria-disabled={form.isSending}>
            {texts.remove}
          </button>
          <button type="button" class="button small" onClick={onCancel}>
            {cancel}
          </button>
        </>
      }
    >
      <p>{texts.removeWhy}</p>
      {hasPassword && (
        <PasswordField
          label={texts.currentPassword}
          autocomplete="current-password"
          inputRef={first}
          {...form.field('password')}
        />
      )}
      <TextField
        label={texts.removeCode}
        inputRef={hasPassword ? undefined : first}
        {...form.field('code')}
        input={{ autocomplete: 'one-time-code', class: 'code-input', maxLength: 50 }}
      />
    </Form>
  );
}
