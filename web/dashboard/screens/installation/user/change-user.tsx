import { useState } from 'preact/hooks';
import type { ManagedUser } from '../../../../../contract/manage/users.js';
import { Command } from '../../../kit/command.js';
import { Dialog } from '../../../kit/dialog.js';
import { Switch } from '../../../kit/form/choices.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { TextField } from '../../../kit/form/field.js';
import { Form } from '../../../kit/form/form.js';
import { SubmitButton } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { ReadView } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { useSession } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { userTexts } from './texts.js';

type ChangeProps = {
  user: ManagedUser;
  /** Whether nobody else is admin: the service keeps that one. */
  isLastAdmin: boolean;
  onChanged(): void;
  onClose(): void;
};

/** Changes an account, or deletes it. */
export function ChangeUser({ user, onClose, ...props }: ChangeProps) {
  const texts = useTexts(userTexts);
  const path = `/api/v1/users/${user.id}`;
  const read = useRead<ManagedUser>(path);
  const [isDeleting, setDeleting] = useState(false);
  if (isDeleting) return <DeleteUser {...{ path, user, onClose }} onDeleted={props.onChanged} />;
  return (
    <Dialog title={texts.changeOf({ person: user.name })} onClose={onClose}>
      <ReadView read={read}>
        {(saved) => (
          <UserForm {...{ path, read, saved, onClose }} {...props} onDelete={() => setDeleting(true)} />
        )}
      </ReadView>
    </Dialog>
  );
}

type FormProps = Omit<ChangeProps, 'user'> & {
  path: string;
  read: Read<ManagedUser>;
  saved: ManagedUser;
  onDelete(): void;
};

function UserForm({ path, read, saved, isLastAdmin, onChanged, onClose, onDelete }: FormProps) {
  const texts = useTexts(userTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor({
    ...{ path, read, saved },
    valuesOf: ({ name, admin, disabled }) => ({ name, admin, disabled }),
    keptAs: `user ${saved.id}`,
    required: ['name'],
    onSaved({ name }) {
      showNotice(texts.changed({ person: name }));
      onChanged();
      onClose();
    },
  });
  const { values, set } = editor;
  return (
    <Form
      form={editor}
      actions={
        <>
          <SubmitButton form={editor} needsChange>
            {kit.save}
          </SubmitButton>
          {!isLastAdmin && (
            <button type="button" class="button small" onClick={onDelete}>
              {texts.delete}
            </button>
          )}
        </>
      }
    >
      <TextField
        label={texts.name}
        {...editor.field('name')}
        input={{ autocomplete: 'off', dir: 'auto', maxLength: 200 }}
      />
      <Switch
        label={texts.admin}
        hint={isLastAdmin ? texts.lastAdmin : texts.adminWhy}
        isOn={values.admin}
        onSwitch={set('admin')}
        isDisabled={isLastAdmin}
      />
      <Switch
        label={texts.disabled}
        hint={isLastAdmin ? texts.lastAdmin : texts.disabledWhy}
        isOn={values.disabled}
        onSwitch={set('disabled')}
        isDisabled={isLastAdmin}
      />
      <ShellCommands user={saved} />
      <ConflictDialog
        editor={editor}
        labels={{ name: texts.name, admin: texts.admin, disabled: texts.disabled }}
      />
    </Form>
  );
}

/** Commands for changes that the management API refuses: a shell proves control of the installation. */
function ShellCommands({ user: { email, hasPassword, hasTotp } }: { user: ManagedUser }) {
  const texts = useTexts(userTexts);
  const { commandName } = useSession();
  return (
    <div class="shell-commands">
      {hasPassword && (
        <>
          <p class="note">{texts.reset}</p>
          <Command>{`${commandName} user reset-password ${email}`}</Command>
        </>
      )}
      {hasTotp && (
        <>
          <p class="note">{texts.removeTotp}</p>
          <Command>{`${commandName} user remove-totp ${email}`}</Command>
        </>
      )}
    </div>
  );
}

type DeleteProps = { path: string; user: ManagedUser; onDeleted(): void; onClose(): void };

function DeleteUser({ path, user, onDeleted, onClose }: DeleteProps) {
  const texts = useTexts(userTexts);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', path);
    showNotice(texts.deleted);
    onDeleted();
  };
  return (
    <Confirm
      title={texts.deleteTitle({ person: user.name })}
      action={texts.delete}
      isDanger
      onClose={onClose}
      onConfirm={confirm}
    >
      <p>{texts.deleteWhy}</p>
    </Confirm>
  );
}
