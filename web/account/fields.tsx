import type { AccountTexts } from '../texts/areas.js';
import { Icon } from '../views/elements.js';

/** The faults of the fields of a form, by their names; `form` is about all of it. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Bounds of what people enter; the forms say them to browsers, and the service checks them again. */
export const fieldLimits = { email: 254, name: 200, passwordMin: 12, passwordMax: 200, code: 64 } as const;

/** The field where the person goes on: the first one that is wrong, else `usual`. */
export function focusIn<Name extends string>(errors: FieldErrors, names: readonly Name[], usual: Name): Name {
  return names.find((name) => errors[name] !== undefined) ?? usual;
}

type FieldProps = {
  name: string;
  label: string;
  /** Text by default. */
  type?: 'email' | 'password';
  autocomplete: string;
  /** The value that was sent before; never a password. */
  value?: string | undefined;
  note?: string;
  errors: FieldErrors;
  focus?: boolean;
  /** Other attributes of the input. */
  input?: Readonly<Record<string, string | number | boolean>>;
};

/** A label, its input, a note, and what is wrong with what was sent. */
export function Field(props: FieldProps) {
  const { name, label, note, errors } = props;
  const error = errors[name];
  // One text at a time: what is wrong says more than the note.
  const shown = error === undefined ? note : undefined;
  return (
    <div class="form-field">
      <label for={name}>{label}</label>
      <Input {...props} />
      {error !== undefined && (
        <p class="field-error" id={`${name}-error`}>
          <Icon kind="incident" />
          <span>{error}</span>
        </p>
      )}
      {shown !== undefined && (
        <p class="note" id={`${name}-note`}>
          {shown}
        </p>
      )}
    </div>
  );
}

function Input({ name, type, autocomplete, value, note, errors, focus = false, input }: FieldProps) {
  const isWrong = errors[name] !== undefined;
  const describedBy = isWrong ? `${name}-error` : note && `${name}-note`;
  const attributes = {
    ...{ id: name, name, autocomplete, required: true },
    ...(value !== undefined && { value }),
    ...(focus && { autofocus: true }),
    ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
    ...(isWrong && { 'aria-invalid': 'true' as const }),
    ...input,
  };
  if (type === 'email') return <input type="email" {...attributes} />;
  if (type === 'password') return <input type="password" {...attributes} />;
  return <input type="text" {...attributes} />;
}

type FormFieldProps = {
  texts: AccountTexts;
  errors: FieldErrors;
  value?: string | undefined;
  focus?: boolean;
};

export function EmailField({ texts, ...rest }: FormFieldProps) {
  const input = { maxLength: fieldLimits.email, dir: 'ltr', inputMode: 'email', spellcheck: false };
  return (
    <Field name="email" type="email" autocomplete="username" label={texts.email} input={input} {...rest} />
  );
}

export function NameField({ texts, ...rest }: FormFieldProps) {
  const { name: label, nameNote: note } = texts;
  return (
    <Field
      {...{ label, note, ...rest }}
      name="name"
      autocomplete="name"
      input={{ maxLength: fieldLimits.name }}
    />
  );
}

export function PasswordField({ texts, ...rest }: Omit<FormFieldProps, 'value'>) {
  return (
    <Field
      name="password"
      type="password"
      autocomplete="current-password"
      label={texts.password}
      input={{ maxLength: fieldLimits.passwordMax }}
      {...rest}
    />
  );
}

export function NewPasswordField({ texts, ...rest }: Omit<FormFieldProps, 'value'>) {
  return (
    <Field
      name="password"
      type="password"
      autocomplete="new-password"
      label={texts.newPassword}
      note={texts.newPasswordNote}
      input={{ minLength: fieldLimits.passwordMin, maxLength: fieldLimits.passwordMax }}
      {...rest}
    />
  );
}

/** The field for the code of a link. The script fills it in from the address and hides it. */
export function LinkCodeField({ texts, ...rest }: FormFieldProps) {
  const { linkCode: label, linkCodeNote: note } = texts;
  const input = { maxLength: fieldLimits.code, dir: 'ltr', spellcheck: false, 'data-link-code': '' };
  return <Field {...{ label, note, input, ...rest }} name="token" autocomplete="off" />;
}

/** The fault of the whole form, or a notice of what happened before it. */
export function FormMessage({ error, notice }: { error?: string | undefined; notice?: string | undefined }) {
  const text = error ?? notice;
  if (text === undefined) return null;
  const isError = error !== undefined;
  return (
    <p class={`form-message ${isError ? 'wrong' : 'done'}`} role={isError ? 'alert' : 'status'}>
      <Icon kind={isError ? 'incident' : 'up'} />
      <span>{text}</span>
    </p>
  );
}

export function Submit({ text }: { text: string }) {
  return (
    <button type="submit" class="button">
      {text}
    </button>
  );
}
