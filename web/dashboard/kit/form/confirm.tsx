import type { ComponentChildren } from 'preact';
import type { ReadError } from '../../reads/fetch-json.js';
import { useTexts } from '../../texts.js';
import { Dialog } from '../dialog.js';
import { kitTexts } from '../texts.js';
import { SendError } from './form.js';

type ConfirmProps = {
  title: string;
  /** What will happen. */
  children: ComponentChildren;
  /** The word on the button that does it. */
  action: string;
  isDanger?: boolean;
  isSending: boolean;
  error: ReadError | undefined;
  onConfirm(): void;
  onClose(): void;
};

/** Asks before a change that nothing undoes. */
export function Confirm(props: ConfirmProps) {
  const { title, children, action, isDanger = false, isSending, error, onConfirm, onClose } = props;
  const { cancel } = useTexts(kitTexts);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="confirm">
        {children}
        {error !== undefined && <SendError error={error} />}
        <div class="form-actions end">
          <button type="button" class="button small" onClick={onClose}>
            {cancel}
          </button>
          <button
            type="button"
            class={isDanger ? 'button danger' : 'button'}
            aria-disabled={isSending}
            onClick={onConfirm}
          >
            {action}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
