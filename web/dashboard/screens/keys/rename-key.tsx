import type { ManagedKey } from '../../../../contract/manage/keys.js';
import { Dialog } from '../../kit/dialog.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { showNotice } from '../../kit/notice.js';
import { ReadView } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { titleOf } from './columns.js';
import { keysTexts } from './texts.js';

type RenameProps = { of: ManagedKey; onChanged(): void; onClose(): void };

/** Gives a key another name; the notice that follows takes it back. */
export function RenameKey({ of, onChanged, onClose }: RenameProps) {
  const texts = useTexts(keysTexts);
  const { slug } = usePage();
  const path = pagePath(slug, `/keys/${of.id}`);
  const read = useRead<ManagedKey>(path);
  return (
    <Dialog title={texts.renameOf({ key: titleOf(of) })} onClose={onClose}>
      <ReadView read={read}>
        {(saved) => <NameForm {...{ path, read, saved, onChanged, onClose }} />}
      </ReadView>
    </Dialog>
  );
}

type NameFormProps = Pick<RenameProps, 'onChanged' | 'onClose'> & {
  path: string;
  read: Read<ManagedKey>;
  saved: ManagedKey;
};

function NameForm({ path, read, saved, onChanged, onClose }: NameFormProps) {
  const texts = useTexts(keysTexts);
  const kit = useTexts(kitTexts);
  const editor = useEditor({
    ...{ path, read, saved },
    valuesOf: ({ name }) => ({ name: name ?? '' }),
    keptAs: `key ${saved.id}`,
    required: ['name'],
    onSaved({ name }, etag, base) {
      const back = async (): Promise<void> => {
        await sendJson('PATCH', path, { name: base.name }, { ifMatch: etag });
        onChanged();
      };
      showNotice(
        texts.renamed({ name: name ?? '' }),
        base.name === '' ? undefined : () => void back().catch(() => showNotice(texts.notRenamed)),
      );
      onChanged();
      onClose();
    },
  });
  return (
    <Form form={editor} actions={<FormButtons action={kit.save} form={editor} onClose={onClose} />}>
      <TextField
        label={texts.name}
        hint={texts.nameWhy}
        {...editor.field('name')}
        input={{ autocomplete: 'off', dir: 'auto' }}
      />
      <ConflictDialog editor={editor} labels={{ name: texts.name }} />
    </Form>
  );
}
