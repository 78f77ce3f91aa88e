import { useState } from 'preact/hooks';
import type { UpdateStatus } from '../../../../../contract/incidents.js';
import type { ManagedIncident, ManagedUpdate } from '../../../../../contract/manage/incidents/incidents.js';
import { Switch } from '../../../kit/form/choices.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { MarkdownField } from '../../../kit/form/markdown-field.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { kitTexts } from '../../../kit/texts.js';
import { useTexts } from '../../../texts.js';
import { useAudience, usePeople } from '../audience.js';
import { textCharsMax } from '../limits.js';
import { incidentsTexts } from '../texts.js';
import type { Opened } from './opened.js';
import { StatusSteps } from './status-steps.js';
import { oneTexts } from './texts.js';

type UpdateValues = { status: UpdateStatus; body: string };
type UpdateEditorProps = Opened & { update: ManagedUpdate; keptAs: string; onClose(): void };

/** Corrects an update; nobody is notified again unless the person says so. */
export function UpdateEditor(props: UpdateEditorProps) {
  const { incident, update, read, path, keptAs, onClose } = props;
  const texts = useTexts(oneTexts);
  const kit = useTexts(kitTexts);
  const { statuses } = useTexts(incidentsTexts);
  const people = usePeople(useAudience(`${incident.type}.update_posted`));
  const [isTold, setTold] = useState(false);
  const editor = useEditor<ManagedIncident, UpdateValues>({
    path: `${path}/updates/${update.id}`,
    ...{ wholePath: path, read, saved: incident, keptAs },
    required: ['body'],
    valuesOf({ updates }) {
      const { status, body } = updates.find(({ id }) => id === update.id) ?? update;
      return { status, body };
    },
    bodyOf: (changes) => ({ ...changes, notify: isTold }),
    onSaved() {
      showNotice(kit.saved);
      onClose();
    },
  });
  return (
    <Form form={editor} actions={<EditActions form={editor} onClose={onClose} />}>
      <StatusSteps value={editor.values.status} onChoose={editor.set('status')} />
      <p class="note">{texts.statusOnly[incident.type]}</p>
      <MarkdownField label={texts.update} {...editor.field('body')} maxLength={textCharsMax} />
      {people !== undefined && (
        <Switch
          label={texts.notifyAgain}
          hint={texts.notifyAgainWhy({ people })}
          isOn={isTold}
          onSwitch={setTold}
        />
      )}
      <ConflictDialog
        editor={editor}
        labels={{ status: texts.status, body: texts.update }}
        textOf={(field, value) => (field === 'status' ? (statuses[value as UpdateStatus] ?? value) : value)}
      />
    </Form>
  );
}
