import type { ManagedConnection } from '../../../../contract/manage/connections.js';
import { Dialog } from '../../kit/dialog.js';
import { Segments } from '../../kit/form/choices.js';
import { TextField } from '../../kit/form/field.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { showNotice } from '../../kit/notice.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { connectionsTexts } from './texts.js';

type Engine = ManagedConnection['engine'];
/** The one that most people run first. */
const engines: readonly [Engine, ...Engine[]] = ['postgresql', 'mysql', 'mongodb'];

/** Names a database server. */
export function AddConnection({ onAdded, onClose }: { onAdded(): void; onClose(): void }) {
  const texts = useTexts(connectionsTexts);
  const { slug } = usePage();
  const form = useForm<{ name: string; engine: Engine }>({
    initial: { name: '', engine: engines[0] },
    keptAs: `${slug} connection`,
    // Somebody may paste an address with its password into the wrong field.
    unkept: ['name'],
    required: ['name'],
    async send({ name, engine }) {
      const body = { name: name.trim(), engine };
      await sendJson<ManagedConnection>('POST', pagePath(slug, '/connections'), body);
      showNotice(texts.added({ name: body.name }));
      onAdded();
      onClose();
    },
  });
  return (
    <Dialog title={texts.add} onClose={onClose}>
      <Form form={form} actions={<FormButtons action={texts.add} form={form} onClose={onClose} />}>
        <TextField
          label={texts.name}
          hint={texts.nameWhy}
          {...form.field('name')}
          input={{ autocomplete: 'off', dir: 'auto' }}
        />
        <div>
          <Segments
            label={texts.engine}
            options={engines.map((engine) => ({ value: engine, title: texts.engines[engine] }))}
            value={form.values.engine}
            onChoose={form.set('engine')}
          />
          <p class="note">{texts.engineWhy}</p>
        </div>
      </Form>
    </Dialog>
  );
}
