import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ReadError } from '../../reads/fetch-json.js';
import { useTexts } from '../../texts.js';
import { Icon } from '../icons.js';
import { type KitTexts, kitTexts } from '../texts.js';
import type { FormState } from './use-form.js';

type FormProps = {
  form: Pick<FormState<object>, 'submit' | 'error' | 'isAboutField' | 'refusals'>;
  /** Called in place of the `submit` of the form. */
  onSubmit?: () => void;
  /** The success in words, which screen readers announce. */
  done?: string | undefined;
  /** The buttons. */
  actions: ComponentChildren;
  children: ComponentChildren;
};

/** Fields, the buttons below them, and how the newest attempt went. */
export function Form({ form, onSubmit = form.submit, done, actions, children }: FormProps) {
  const { error, isAboutField, refusals } = form;
  const ref = useRef<HTMLFormElement>(null);
  const unsaid = useUnsaid(ref, error, isAboutField);
  useEffect(() => {
    if (refusals > 0) focusWrong(ref.current);
  }, [refusals]);
  return (
    <form
      ref={ref}
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {unsaid !== undefined && <SendError error={unsaid} />}
      <div class="form-actions">
        {actions}
        <Done text={done} />
      </div>
    </form>
  );
}

/** The error, unless a field shows what is wrong: a refusal may be about one that is not drawn. */
function useUnsaid(
  form: RefObject<HTMLFormElement | null>,
  error: ReadError | undefined,
  isAboutField: boolean,
): ReadError | undefined {
  const [unsaid, setUnsaid] = useState<ReadError>();
  // After each drawing, because a field may come or go with what is entered.
  useLayoutEffect(() => {
    const said = form.current?.querySelector('[aria-invalid="true"], .field-error[role="alert"]') ?? null;
    setUnsaid(isAboutField && said !== null ? undefined : error);
  });
  return unsaid;
}

/** A field that is folded in shows first. */
function focusWrong(form: HTMLFormElement | null): void {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  const fold = wrong?.closest('details');
  if (fold != null) fold.open = true;
  wrong?.focus();
}

/** Why a change was not made, or that nobody knows whether it was. */
export function SendError({ error }: { error: ReadError }) {
  const texts = useTexts(kitTexts);
  return (
    <div class="error-notice" role="alert">
      <Icon name="warning" />
      <p>{wordError(error, texts)}</p>
    </div>
  );
}

/** Returns the sentence about a change that failed. */
export function wordError({ status, message, mayRepeat }: ReadError, texts: KitTexts): string {
  if (status === 0) return mayRepeat ? texts.unansweredRepeatable : texts.unanswered;
  if (status === 503 || message === '') return texts.notSent;
  return status === 429 ? texts.waitToSend : message;
}

/** A success in a few words; the region is there before the text, so that screen readers announce it. */
export function Done({ text }: { text: string | undefined }) {
  return (
    <span class="done" role="status">
      {text !== undefined && (
        <>
          <Icon name="check" />
          {text}
        </>
      )}
    </span>
  );
}
