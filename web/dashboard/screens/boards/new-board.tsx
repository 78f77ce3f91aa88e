import type { ManagedBoard, PutBoard } from '../../../../contract/manage/boards.js';
import { proposeResourceSlug } from '../../../../lib/slug.js';
import { useAddress } from '../../address/use-address.js';
import { Dialog } from '../../kit/dialog.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { charsMax } from './known.js';
import { boardsTexts } from './texts.js';

/** Makes a board without tiles, and opens it to add some. */
export function NewBoard({ onClose }: { onClose(): void }) {
  const { slug } = usePage();
  const { replace } = useAddress();
  const texts = useTexts(boardsTexts);
  const form = useForm({
    ...{ initial: { name: '', description: '' }, keptAs: 'new board', required: ['name'] as const },
    explain: ({ status }) => (status === 412 ? { name: texts.nameTaken } : undefined),
    async send({ name, description }) {
      const body: PutBoard = { name: name.trim(), description: description.trim(), tiles: [] };
      const path = pagePath(slug, `/boards/${proposeResourceSlug(name, 'board')}`);
      const made = await sendJson<ManagedBoard>('PUT', path, body, { isNew: true });
      replace({ new: undefined, board: made.slug, edit: '1', from: undefined, to: undefined });
    },
  });
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form form={form} actions={<FormButtons form={form} action={texts.create} onClose={onClose} />}>
        <TextField
          label={texts.name}
          {...form.field('name')}
          input={{ dir: 'auto', maxLength: charsMax.name, autocomplete: 'off' }}
        />
        <TextField
          label={texts.description}
          {...form.field('description')}
          input={{ dir: 'auto', maxLength: charsMax.description, autocomplete: 'off' }}
        />
      </Form>
    </Dialog>
  );
}
