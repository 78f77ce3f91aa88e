import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useTexts } from '../texts.js';
import { Icon } from './icons.js';
import { kitTexts } from './texts.js';

type DialogProps = {
  title: string;
  /** Called when the dialog closes in any way; the caller then stops drawing it. */
  onClose(): void;
  /** A dialog without a visible head, such as a list to search. */
  bare?: boolean;
  /** A dialog with two columns, or with a long text. */
  isWide?: boolean;
  /** Whether only a button inside closes it: neither Escape nor a click beside it. */
  isKept?: boolean;
  children: ComponentChildren;
};

/** A modal dialog. Its first field has the focus; the browser keeps the focus inside, and gives it back to where it was. */
export function Dialog({
  title,
  onClose,
  bare = false,
  isWide = false,
  isKept = false,
  children,
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const closer = useRef<HTMLButtonElement>(null);
  const isPlaced = useRef(false);
  const isGone = useRef(false);
  const isPressed = useRef(false);
  const id = useId();
  const { close } = useTexts(kitTexts);
  useLayoutEffect(() => {
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
  // After each drawing, because fields that are loaded come later.
  useLayoutEffect(() => {
    if (isPlaced.current) return;
    const first = document.activeElement === closer.current ? firstControl(ref.current) : undefined;
    first?.focus();
    isPlaced.current = document.activeElement !== closer.current;
  });
  return (
    <dialog
      ref={ref}
      class={`dialog${bare ? ' bare' : ''}${isWide ? ' wide' : ''}`}
      aria-labelledby={id}
      // Without it the second Escape closes the dialog, which then blinks. Back on a phone gets no further than onClose.
      onKeyDown={(event) => {
        if (isKept && event.key === 'Escape') event.preventDefault();
      }}
      // Escape. The event of the closed dialog comes later than the next key, which may open the dialog again.
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        if (!isKept) onClose();
      }}
      onClose={() => {
        if (isGone.current) return;
        // Browsers let nobody prevent a second Escape.
        if (isKept) ref.current?.showModal();
        else onClose();
      }}
      // Somebody who marks a text may let go beside the dialog.
      onMouseDown={(event) => {
        isPressed.current = event.target === ref.current;
      }}
      onClick={(event) => {
        if (event.target === ref.current && isPressed.current && !isKept) onClose();
      }}
    >
      <div class="dialog-box">
        <header class={bare ? 'visually-hidden' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {!bare && !isKept && (
            <button ref={closer} type="button" class="icon-button" aria-label={close} onClick={onClose}>
              <Icon name="close" />
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** The first field, of several radio buttons the chosen one; without fields the first button or link below the head. */
function firstControl(dialog: HTMLDialogElement | null): HTMLElement | undefined {
  const fields = [...(dialog?.querySelectorAll<HTMLElement>('input, select, textarea') ?? [])];
  const first = fields.find((field) => !field.matches(':disabled, [type=hidden]'));
  if (first instanceof HTMLInputElement && first.type === 'radio')
    return fields.find((field) => field.matches(`[name="${first.name}"]:checked`)) ?? first;
  return (
    first ??
    dialog?.querySelector<HTMLElement>(
      '.dialog-head ~ :is(button:enabled, a[href]), .dialog-head ~ * :is(button:enabled, a[href])',
    ) ??
    undefined
  );
}
