import { useLayoutEffect, useRef } from 'preact/hooks';
import { AreaField } from '../../../kit/form/field.js';
import type { FormState } from '../../../kit/form/use-form.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { formTexts } from './texts.js';
import type { Header, MonitorValues } from './values.js';

type Props = {
  form: FormState<MonitorValues>;
  /** Whether the saved monitor has headers or a body, which are kept until they are replaced. */
  hasSaved: boolean;
};

/** Headers and body of the requests, which can be written and not read. */
export function RequestSecrets({ form, hasSaved }: Props) {
  const texts = useTexts(formTexts);
  const { headers } = form.values;
  const box = useFocusOnChange<HTMLFieldSetElement, number | undefined>(headers?.length, (count, before) => {
    if (count === undefined) return 'button';
    return count > (before ?? 0) ? '.header-row:nth-last-of-type(1) input' : ':scope > .button';
  });
  return (
    <>
      <fieldset class="header-fields" ref={box}>
        <legend>{texts.headers}</legend>
        {headers === null ? (
          <Kept
            text={texts.headersKept}
            error={form.errors['headers']}
            action={texts.replaceHeaders}
            onReplace={() => form.set('headers')([{ name: '', value: '' }])}
          />
        ) : (
          <HeaderRows headers={headers} error={form.errors['headers']} onChange={form.set('headers')} />
        )}
        {hasSaved && headers !== null && (
          <button type="button" class="link-button" onClick={() => form.set('headers')(null)}>
            {texts.keepHeaders}
          </button>
        )}
      </fieldset>
      <BodyField form={form} hasSaved={hasSaved} />
    </>
  );
}

function BodyField({ form, hasSaved }: Props) {
  const texts = useTexts(formTexts);
  const { body } = form.values;
  const error = form.errors['body'];
  const box = useFocusOnChange<HTMLDivElement, boolean>(body === null, (isKept) =>
    isKept ? 'button' : 'textarea',
  );
  if (body === null) {
    return (
      <div ref={box}>
        <fieldset class="header-fields">
          <legend>{texts.body}</legend>
          <Kept
            text={texts.bodyKept}
            error={error}
            action={texts.replaceBody}
            onReplace={() => form.set('body')('')}
          />
        </fieldset>
      </div>
    );
  }
  return (
    <div ref={box}>
      <AreaField
        label={texts.body}
        hint={texts.bodyWhy}
        error={error}
        value={body}
        rows={3}
        onInput={form.set('body')}
      />
      {hasSaved && (
        <button type="button" class="link-button" onClick={() => form.set('body')(null)}>
          {texts.keepBody}
        </button>
      )}
    </div>
  );
}

/** Moves the focus to what takes the place of the button that was pressed, within the element of the reference. */
function useFocusOnChange<Box extends HTMLElement, State>(
  state: State,
  selectorOf: (state: State, before: State) => string,
) {
  const box = useRef<Box>(null);
  const before = useRef(state);
  useLayoutEffect(() => {
    const last = before.current;
    before.current = state;
    if (last !== state) box.current?.querySelector<HTMLElement>(selectorOf(state, last))?.focus();
  }, [state]);
  return box;
}

type KeptProps = { text: string; error: string | undefined; action: string; onReplace(): void };

function Kept({ text, error, action, onReplace }: KeptProps) {
  return (
    <>
      <p class="note">{text}</p>
      {error !== undefined && <WrongPart error={error} />}
      <button
        type="button"
        class="button small"
        {...(error !== undefined && { 'aria-invalid': true as const })}
        onClick={onReplace}
      >
        {action}
      </button>
    </>
  );
}

function WrongPart({ error }: { error: string }) {
  return (
    <p class="field-error" role="alert">
      <Icon name="warning" />
      <span>{error}</span>
    </p>
  );
}

type RowsProps = {
  headers: readonly Header[];
  error: string | undefined;
  onChange(headers: readonly Header[]): void;
};

function HeaderRows({ headers, error, onChange }: RowsProps) {
  const texts = useTexts(formTexts);
  const change = (place: number, edit: Partial<Header>): void =>
    onChange(headers.map((header, i) => (i === place ? { ...header, ...edit } : header)));
  return (
    <>
      {headers.map((header, i) => (
        <div key={i} class="header-row">
          {(['name', 'value'] as const).map((part) => (
            <input
              key={part}
              type="text"
              aria-label={
                part === 'name' ? texts.headerName({ place: i + 1 }) : texts.headerValue({ place: i + 1 })
              }
              aria-invalid={error !== undefined}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              value={header[part]}
              onInput={({ currentTarget }) => change(i, { [part]: currentTarget.value })}
            />
          ))}
          <button
            type="button"
            class="icon-button"
            aria-label={texts.removeHeader({ place: i + 1 })}
            onClick={() => onChange(headers.filter((_, place) => place !== i))}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      {error !== undefined ? <WrongPart error={error} /> : <p class="note">{texts.headersWhy}</p>}
      <button
        type="button"
        class="button small"
        onClick={() => onChange([...headers, { name: '', value: '' }])}
      >
        <Icon name="plus" />
        {texts.addHeader}
      </button>
    </>
  );
}
