import { useState } from 'preact/hooks';
import type { queryLimits } from '../../../../contract/manage/queries.js';
import { Dialog } from '../../kit/dialog.js';
import { Confirm } from '../../kit/form/confirm.js';
import { TextField } from '../../kit/form/field.js';
import { Form, SendError } from '../../kit/form/form.js';
import { SubmitButton } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { kitTexts } from '../../kit/texts.js';
import type { ReadError } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { sqlTexts } from './texts.js';

/** As the service has it; its own module brings the checks of bodies along. */
const queryNameCharsMax: (typeof queryLimits)['nameChars'] = 100;

export type Naming = { name: string; isShared: boolean };

type NameDialogProps = {
  title: string;
  initial: Naming;
  /** Saves; the dialog stays open and says why when that fails. */
  onSave(naming: Naming): Promise<void>;
  onClose(): void;
};

/** The name of a query, and who sees it. */
export function NameDialog({ title, initial, onSave, onClose }: NameDialogProps) {
  const texts = useTexts(sqlTexts);
  const kit = useTexts(kitTexts);
  const mayShare = usePage().may('page.write');
  const [isShared, setShared] = useState(initial.isShared && mayShare);
  const form = useForm({
    initial: { name: initial.name },
    required: ['name'],
    explain: ({ status, message }) => (status === 409 ? { name: message } : undefined),
    async send({ name }) {
      await onSave({ name: name.trim(), isShared });
      onClose();
    },
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        form={form}
        actions={
          <>
            <SubmitButton form={form}>{kit.save}</SubmitButton>
            <button type="button" class="button small" onClick={onClose}>
              {kit.cancel}
            </button>
          </>
        }
      >
        <TextField
          label={texts.name}
          {...form.field('name')}
          input={{ dir: 'auto', maxLength: queryNameCharsMax, autocomplete: 'off' }}
        />
        <fieldset class="segments">
          <legend>{texts.visibility}</legend>
          {[true, false].map((choice) => (
            <label key={String(choice)}>
              <input
                type="radio"
                name="query-visibility"
                checked={choice === isShared}
                disabled={choice && !mayShare}
                onChange={() => setShared(choice)}
              />
              <span>{choice ? texts.everybody : texts.onlyMe}</span>
            </label>
          ))}
          {!mayShare && <p class="note">{texts.mayNotShare}</p>}
        </fieldset>
      </Form>
    </Dialog>
  );
}

type DeleteDialogProps = { name: string; onDelete(): Promise<void>; onClose(): void };

/** Asks before a saved query is deleted. */
export function DeleteDialog({ name, onDelete, onClose }: DeleteDialogProps) {
  const texts = useTexts(sqlTexts);
  return (
    <Confirm
      title={texts.removeTitle}
      action={texts.removeAction}
      isDanger
      onConfirm={onDelete}
      onClose={onClose}
    >
      <p>{texts.removeWhy({ name })}</p>
    </Confirm>
  );
}

type ConflictDialogProps = {
  theirs: string;
  mine: string;
  isSending: boolean;
  /** Why the own version was not saved. */
  error: ReadError | undefined;
  onTheirs(): void;
  onMine(): void;
  onClose(): void;
};

/** Both versions of a query that two people have changed. */
export function ConflictDialog(props: ConflictDialogProps) {
  const { theirs, mine, isSending, error, onTheirs, onMine, onClose } = props;
  const texts = useTexts(sqlTexts);
  return (
    <Dialog title={texts.conflictTitle} onClose={onClose}>
      <div class="sql-versions">
        {[
          { title: texts.theirs, sql: theirs, action: texts.takeTheirs, onChoose: onTheirs },
          { title: texts.mine, sql: mine, action: texts.keepMine, onChoose: onMine },
        ].map(({ title, sql, action, onChoose }) => (
          <section key={title}>
            <h3>{title}</h3>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
            <pre tabIndex={0}>{sql}</pre>
            <button type="button" class="button small" aria-disabled={isSending} onClick={onChoose}>
              {action}
            </button>
          </section>
        ))}
      </div>
      {error !== undefined && <SendError error={error} />}
    </Dialog>
  );
}
