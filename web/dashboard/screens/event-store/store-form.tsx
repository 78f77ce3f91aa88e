import type { ComponentChildren } from 'preact';
import type { ManagedEventStore } from '../../../../contract/manage/event-store.js';
import { useFormat } from '../../format.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { PasswordField, TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { type FormState, useForm } from '../../kit/form/use-form.js';
import { showNotice } from '../../kit/notice.js';
import { kitTexts } from '../../kit/texts.js';
import { sendJson } from '../../reads/fetch-json.js';
import type { Read } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { RemoveStore } from './remove-store.js';
import { StoreTest } from './store-test.js';
import { eventStoreTexts } from './texts.js';

type Values = { url: string; database: string; username: string; password: string };

/** The service tries for a minute. */
const timeoutMs = 75_000;

function bodyOf({ password, ...values }: Values): object {
  return { ...values, ...(password !== '' && { password }) };
}

type FirstProps = { path: string; onSet(): void; onClose(): void };

/** The form of a page that has no store of its own. */
export function FirstStore({ path, onSet, onClose }: FirstProps) {
  const texts = useTexts(eventStoreTexts);
  const kit = useTexts(kitTexts);
  const { slug } = usePage();
  const form = useForm<Values>({
    initial: { url: '', database: 'heartline', username: '', password: '' },
    keptAs: `${slug} event-store`,
    unkept: ['password'],
    required: ['url', 'database', 'username', 'password'],
    async send(values) {
      await sendJson('PUT', path, bodyOf(values), { timeoutMs, isNew: true });
      showNotice(texts.saved);
      onSet();
      onClose();
    },
  });
  return (
    <StoreForm form={form} passwordWhy={texts.passwordWhy}>
      <button type="button" class="button small" onClick={onClose}>
        {kit.cancel}
      </button>
    </StoreForm>
  );
}

type OwnProps = { path: string; read: Read<ManagedEventStore>; saved: ManagedEventStore };

/** The store of a page: its settings, a test of it, and the way back. */
export function OwnStore({ path, read, saved }: OwnProps) {
  const texts = useTexts(eventStoreTexts);
  const format = useFormat();
  const { slug } = usePage();
  const editor = useEditor<ManagedEventStore, Values>({
    ...{ path, read, saved, timeoutMs, method: 'PUT' },
    valuesOf: ({ url, database, username }) => ({ url, database, username, password: '' }),
    bodyOf: (_, values) => bodyOf(values),
    keptAs: `${slug} own-event-store`,
    unkept: ['password'],
    required: ['url', 'database', 'username'],
    onSaved: () => showNotice(texts.saved),
  });
  const labels = {
    ...{ url: texts.url, database: texts.database },
    ...{ username: texts.username, password: texts.password },
  };
  return (
    <div class="store-parts">
      <p class="note">{texts.since({ moment: format.moment(Date.parse(saved.setAt)) })}</p>
      <StoreTest path={path} />
      <StoreForm form={editor} passwordWhy={texts.passwordKept} />
      <RemoveStore path={path} backlog={saved.backlog} onRemoved={read.retry} />
      <ConflictDialog
        editor={editor}
        labels={labels}
        textOf={(field, value) => (field === 'password' && value !== '' ? '••••••••' : value)}
      />
    </div>
  );
}

type StoreFormProps = {
  form: FormState<Values>;
  passwordWhy: string;
  children?: ComponentChildren;
};

function StoreForm({ form, passwordWhy, children }: StoreFormProps) {
  const texts = useTexts(eventStoreTexts);
  const { values, set, errors } = form;
  const line = (field: 'url' | 'database' | 'username', label: string, hint: string) => (
    <TextField
      label={label}
      hint={hint}
      value={values[field]}
      onInput={set(field)}
      error={errors[field]}
      input={{
        autocomplete: 'off',
        spellcheck: false,
        ...(field === 'url' && { inputMode: 'url' as const }),
      }}
    />
  );
  return (
    <Form
      form={form}
      done={form.isSending ? texts.saving : undefined}
      actions={
        <>
          <SubmitButton form={form} needsChange>
            {texts.save}
          </SubmitButton>
          {children}
        </>
      }
    >
      {line('url', texts.url, texts.urlWhy)}
      {line('database', texts.database, texts.databaseWhy)}
      {line('username', texts.username, texts.usernameWhy)}
      <PasswordField
        label={texts.password}
        hint={passwordWhy}
        {...form.field('password')}
        autocomplete="new-password"
      />
      <div class="store-what">
        <h3>{texts.what}</h3>
        <ul>
          {Object.values(texts.whats).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
    </Form>
  );
}
