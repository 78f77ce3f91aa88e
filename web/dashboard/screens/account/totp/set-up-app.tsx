import { useLayoutEffect, useRef } from 'preact/hooks';
import { CopyButton } from '../../../kit/copy-button.js';
import { PasswordField, TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { useForm } from '../../../kit/form/use-form.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { refusedProof } from '../refused-proof.js';
import { accountTexts } from '../texts.js';

/** The secret for the app: in base 32, as an address, and as a picture. */
export type NewApp = { secret: string; uri: string; svg: string };

type BeginProps = { onBegun(app: NewApp): void; onCancel(): void };

/** Asks for the password, and for nothing where there is none. */
export function BeginApp({ onBegun, onCancel }: BeginProps) {
  const { me } = useSession();
  const texts = useTexts(accountTexts);
  const hasPassword = me.caller.hasPassword !== false;
  const input = useRef<HTMLInputElement>(null);
  const form = useForm({
    initial: { password: '' },
    required: hasPassword ? ['password'] : [],
    async send({ password }) {
      onBegun(await sendJson<NewApp>('POST', '/api/v1/me/totp', hasPassword ? { password } : {}));
    },
    explain: (error) => refusedProof(error, texts, { password: 'password' }),
  });
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <Form form={form} actions={<Buttons send={texts.begin} isSending={form.isSending} onCancel={onCancel} />}>
      {hasPassword && (
        <PasswordField
          label={texts.proof}
          autocomplete="current-password"
          inputRef={input}
          {...form.field('password')}
        />
      )}
    </Form>
  );
}

type ConfirmProps = { app: NewApp; onConfirmed(codes: readonly string[]): void; onCancel(): void };

/** Shows what goes into the app, and asks for the code that the app then shows. */
export function ConfirmApp({ app, onConfirmed, onCancel }: ConfirmProps) {
  const texts = useTexts(accountTexts);
  const input = useRef<HTMLInputElement>(null);
  const form = useForm({
    initial: { code: '' },
    required: ['code'],
    async send({ code }) {
      const { recoveryCodes } = await sendJson<{ recoveryCodes: string[] }>('POST', '/api/v1/me/totp', {
        code,
      });
      onConfirmed(recoveryCodes);
    },
    word: (field) => (field === 'code' ? texts.wrongCode : undefined),
  });
  useLayoutEffect(() => input.current?.focus(), []);
  return (
    <Form
      form={form}
      actions={<Buttons send={texts.confirm} isSending={form.isSending} onCancel={onCancel} />}
    >
      <AppSecret app={app} />
      <TextField
        label={texts.code}
        hint={texts.codeWhy}
        inputRef={input}
        {...form.field('code')}
        input={{ autocomplete: 'one-time-code', inputMode: 'numeric', maxLength: 10, class: 'code-input' }}
      />
    </Form>
  );
}

/** The picture is white in every theme: apps do not read light squares on dark ones. */
function AppSecret({ app: { secret, uri, svg } }: { app: NewApp }) {
  const texts = useTexts(accountTexts);
  return (
    <div class="app-secret">
      <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={texts.qr} width="176" height="176" />
      <div>
        <h3>{texts.scan}</h3>
        <p class="note">{texts.scanWhy}</p>
        <h3>{texts.secret}</h3>
        <p>
          <code class="secret">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        </p>
        <p class="app-secret-actions">
          <CopyButton text={secret} label={texts.copySecret} />
          <a href={uri}>{texts.openApp}</a>
        </p>
      </div>
    </div>
  );
}

type ButtonsProps = { send: string; isSending: boolean; onCancel(): void };

function Buttons({ send, isSending, onCancel }: ButtonsProps) {
  const { cancel } = useTexts(kitTexts);
  return (
    <>
      <button type="submit" class="button" aria-disabled={isSending}>
        {send}
      </button>
      <button type="button" class="button small" onClick={onCancel}>
        {cancel}
      </button>
    </>
  );
}
