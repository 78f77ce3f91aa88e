import type { ComponentChildren } from 'preact';
import { useTexts } from '../../texts.js';
import { kitTexts } from '../texts.js';

type SubmitProps = {
  form: { isSending: boolean; isChanged: boolean };
  /** Whether there is nothing to send until something is changed. */
  needsChange?: boolean;
  children: ComponentChildren;
};

/** The button that sends a form. */
export function SubmitButton({ form, needsChange = false, children }: SubmitProps) {
  return (
    <button
      type="submit"
      class="button"
      disabled={needsChange && !form.isChanged}
      aria-disabled={form.isSending}
    >
      {children}
    </button>
  );
}

type ButtonsProps = Omit<SubmitProps, 'children'> & {
  form: { discard(): void };
  /** The word on the button that sends the form. */
  action: string;
  /** The word on the button that forgets what was entered; Cancel by default. */
  cancel?: string;
  /** Closes the dialog. */
  onClose(): void;
};

/**
 * The buttons of a form in a dialog. Cancel forgets what was entered, so that a choice such as a key that may write is not
 * offered the next time; Escape closes the dialog and keeps it.
 */
export function FormButtons({ action, cancel, form, needsChange = false, onClose }: ButtonsProps) {
  const kit = useTexts(kitTexts);
  return (
    <>
      <SubmitButton {...{ form, needsChange }}>{action}</SubmitButton>
      <button
        type="button"
        class="button small"
        onClick={() => {
          form.discard();
          onClose();
        }}
      >
        {cancel ?? kit.cancel}
      </button>
    </>
  );
}

type EditActionsProps = Pick<ButtonsProps, 'form' | 'onClose'> & { action?: string };

/** The buttons of an editor that stands in the place of what it edits. */
export function EditActions({ form, action, onClose }: EditActionsProps) {
  const kit = useTexts(kitTexts);
  return (
    <FormButtons
      {...{ form, onClose, action: action ?? kit.save, needsChange: true }}
      cancel={form.isChanged ? kit.discard : kit.cancel}
    />
  );
}
