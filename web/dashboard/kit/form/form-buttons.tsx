import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';

type ButtonsProps = {
  /** The word on the button that sends the form. */
  action: string;
  isSending: boolean;
  /** Whether there is nothing to send. */
  isUnchanged?: boolean;
  /** Closes the dialog and forgets what was entered; Escape closes it and keeps that. */
  onCancel(): void;
};

/** The buttons of a form in a dialog. */
export function FormButtons({ action, isSending, isUnchanged = false, onCancel }: ButtonsProps) {
  const { cancel } = useTexts(kitTexts);
  return (
    <>
      <button type="submit" class="button" disabled={isUnchanged} aria-disabled={isSending}>
        {action}
      </button>
      <button type="button" class="button small" onClick={onCancel}>
        {cancel}
      </button>
    </>
  );
}
