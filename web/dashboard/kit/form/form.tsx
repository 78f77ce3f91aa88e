import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ReadError } from '../../reads/fetch-json.js';
import { useTexts } from '../../texts.js';
import { Icon } from '../icons.js';
import { kitTexts } from '../texts.js';

type FormProps = {
  onSubmit(): void;
  /** What is wrong with the form as a whole; each field says what is wrong with it. */
  error?: ReadError | undefined;
  /** Counts refusals: after each the focus goes to the first field that is wrong. */
  refusals?: number;
  /** What has succeeded, which screen readers announce. */
  done?: string | undefined;
  /** The buttons. */
  actions: ComponentChildren;
  children: ComponentChildren;
};

/** Fields, the buttons below them, and how the newest attempt went. */
export function Form({ onSubmit, error, refusals = 0, done, actions, children }: FormProps) {
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (refusals > 0) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
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
      {error !== undefined && <SendError error={error} />}
      <div class="form-actions">
        {actions}
        <Done text={done} />
      </div>
    </form>
  );
}

/** Why a change was not made. */
export function SendError({ error: { status, message } }: { error: ReadError }) {
  const texts = useTexts(kitTexts);
  const usual = message === '' ? texts.notSent : message;
  return (
    <div class="error-notice" role="alert">
      <Icon name="warning" />
      <p>{status === 0 || status === 503 ? texts.notSent : status === 429 ? texts.waitToSend : usual}</p>
    </div>
  );
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
