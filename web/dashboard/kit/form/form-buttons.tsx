import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';

type ButtonsProps = {
  /** The word on the button that sends the form. */
  action: string;
  form: { isSending: boolean; discard(): void };
  /** Whether there is nothing to send. */
  isUnchanged?: boolean;
  /** Closes the dialog. */
  onClose(): void;
};

/**
 * The buttons of a form in a dialog. Cancel forgets what was entered, so that a choice such as a key that may write is not
 * offered the next time; Escape closes the dialog and keeps it.
 */
export function FormButtons({ action, form, isUnchanged = false, onClose }: ButtonsProps) {
  const { cancel } = useTexts(kitTexts);
  return (
    <>
      <button type="submit" class="button" disabled={isUnchanged} aria-disabled={form.isSending}>
        {action}
      </button>
      <button
        type="button"
        class="button small"
        onClick={() => {
          form.discard();
          onClose();
        }}
      >
        {cancel}
      </button>
    </>
  );
}
