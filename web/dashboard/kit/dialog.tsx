import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTexts } from '../texts.js';
import { Icon } from './icons.js';
import { kitTexts } from './texts.js';

type DialogProps = {
  title: string;
  /** Called when the dialog closes in any way; the caller then stops drawing it. */
  onClose(): void;
  /** A dialog without a visible head, such as a list to search. */
  bare?: boolean;
  children: ComponentChildren;
};

/** A modal dialog. The browser keeps the focus inside, and gives it back to where it was. */
export function Dialog({ title, onClose, bare = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isGone = useRef(false);
  const id = useId();
  const { close } = useTexts(kitTexts);
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      // The event comes later, when the caller may have opened the next dialog.
      isGone.current = true;
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; a click outside is a second way.
    <dialog
      ref={ref}
      class={bare ? 'dialog bare' : 'dialog'}
      aria-labelledby={id}
      onClose={() => {
        if (!isGone.current) onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-box">
        <header class={bare ? 'visually-hidden' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {!bare && (
            <button type="button" class="icon-button" aria-label={close} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
