import type { ManagedSchedule } from '../../../../../contract/manage/schedules.js';
import { useAddress } from '../../../address/use-address.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { kitTexts } from '../../../kit/texts.js';
import type { Read } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { ReadOnlyNote } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { usePeople } from '../person-field.js';
import { schedulePath } from '../schedule-path.js';
import { onCallTexts } from '../texts.js';
import { DraftPreview } from './draft-preview.js';
import { explainLayers } from './explain.js';
import { ScheduleFields } from './schedule-fields.js';
import { findProblems, layersOf, type ScheduleValues, valuesOf } from './values.js';

type EditProps = { schedule: ManagedSchedule; read: Read<ManagedSchedule> };

/** Changes the name, the zone and the layers of a schedule. Its overrides and its calendar stay. */
export function EditSchedule({ schedule, read }: EditProps) {
  const { slug: page, may } = usePage();
  const texts = useTexts(onCallTexts);
  const kit = useTexts(kitTexts);
  const { choose } = useAddress();
  const people = usePeople();
  const close = (): void => choose({ edit: undefined });
  const editor = useEditor<ManagedSchedule, ScheduleValues>({
    ...{ path: schedulePath(page, schedule.slug), read, saved: schedule, valuesOf },
    bodyOf: (changes, values) => ({
      ...('name' in changes && { name: values.name.trim() }),
      ...('timeZone' in changes && { timeZone: values.timeZone }),
      ...('layers' in changes && { layers: layersOf(values) }),
    }),
    keptAs: `schedule ${schedule.slug}`,
    check: (values) => findProblems(values, texts),
    fieldOf: (field) => (field === 'layers' ? undefined : field),
    explain: (error) => explainLayers(error, schedule.layers),
    onSaved() {
      showNotice(kit.saved);
      close();
    },
  });
  if (!may('notifications.write')) return <ReadOnlyNote permission="notifications.write" />;
  return (
    <div class="on-call-editor">
      <Panel title={texts.edit}>
        <Form form={editor} actions={<EditActions form={editor} onClose={close} />}>
          <ScheduleFields form={editor} people={people.data?.items ?? []} />
        </Form>
      </Panel>
      <DraftPreview values={editor.values} />
      <ConflictDialog
        editor={editor}
        labels={{ name: texts.name, timeZone: texts.zone, layers: texts.layers }}
        textOf={(field, value) => (typeof value === 'string' ? value : sayLayers(field, value))}
      />
    </div>
  );
}

/** The layers as a short text: both versions stand one beside the other. */
function sayLayers(_: string, layers: ScheduleValues[keyof ScheduleValues]): string {
  if (typeof layers === 'string') return layers;
  return layers.map(({ name, people }) => `${name}: ${people.join(', ')}`).join('; ');
}
