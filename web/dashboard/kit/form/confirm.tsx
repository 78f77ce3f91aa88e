import type { ComponentChildren } from 'preact';
import type { ReadError } from '../../reads/fetch-json.js';
import { useSend } from '../../reads/use-send.js';
import { useTexts } from '../../texts.js';
import { Dialog } from '../dialog.js';
import { kitTexts } from '../texts.js';
import { SendError } from './form.js';

type ConfirmProps = {
  title: string;
  /** Says what will happen. */
  children: ComponentChildren;
  /** The word on the button that does it. */
  action: string;
  isDanger?: boolean;
  /** Whether what it is about is not known yet. */
  isWaiting?: boolean;
  /** Why it is not known. */
  error?: ReadError | undefined;
  /** Makes the change; the dialog closes after it, and stays open with the error when it fails. */
  onConfirm(): Promise<void> | void;
  onClose(): void;
};

/** Asks before a change that nothing undoes, makes it, and says why it was not made. */
export function Confirm({ title, children, action, isDanger = false, onClose, ...props }: ConfirmProps) {
  const { cancel } = useTexts(kitTexts);
  const send = useSend(async () => {
    if (props.isWaiting === true) return;
    await props.onConfirm();
    onClose();
  });
  const error = send.error ?? props.error;
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
            aria-disabled={send.isSending || props.isWaiting === true}
            onClick={send.run}
          >
            {action}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
