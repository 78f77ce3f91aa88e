import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { ConflictDialog } from '../../../kit/form/conflict.js';
import { Form } from '../../../kit/form/form.js';
import { EditActions } from '../../../kit/form/form-buttons.js';
import { useEditor } from '../../../kit/form/use-editor.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { ObjectiveFields } from './objective-fields.js';
import { type FormTexts, formTexts } from './texts.js';
import { changesOf, checkObjective, explainObjective, type ObjectiveValues, valuesOf } from './values.js';

/** Changes an objective. */
export function EditObjective({ slug }: { slug: string }) {
  const page = usePage();
  const { path, to } = useAddress();
  const texts = useTexts(formTexts);
  const { list } = useTexts(objectivesTexts);
  const read = useRead<ManagedObjective>(pagePath(page.slug, `/objectives/${encodeURIComponent(slug)}`));
  const name = read.data?.name ?? slug;
  const crumbs = [
    { title: list, href: to(path) },
    { title: name, href: to(path, { objective: slug }) },
  ];
  return (
    <Screen title={texts.editTitle({ name })} crumbs={crumbs}>
      <Panel title={texts.form}>
        <ReadView read={read} skeleton={<Skeleton lines={9} />}>
          {(saved) => <Editing saved={saved} read={read} />}
        </ReadView>
      </Panel>
    </Screen>
  );
}

function Editing({ saved, read }: { saved: ManagedObjective; read: Read<ManagedObjective> }) {
  const { slug } = usePage();
  const { choose, replace } = useAddress();
  const texts = useTexts(formTexts);
  const format = useFormat();
  const editor = useEditor<ManagedObjective, ObjectiveValues>({
    path: pagePath(slug, `/objectives/${encodeURIComponent(saved.slug)}`),
    ...{ read, saved, valuesOf, required: ['name'] },
    bodyOf: changesOf,
    keptAs: `objective ${saved.slug}`,
    check: (values) => checkObjective(values, texts),
    explain: (error) => explainObjective(error, texts),
    onSaved({ sli, underMsUsed }) {
      const asked = 'requests' in sli ? (sli.requests.underMs ?? null) : null;
      replace({ edit: undefined });
      showNotice(
        underMsUsed === null || underMsUsed === asked
          ? texts.saved
          : texts.savedMoved({ ms: format.ms(underMsUsed) }),
      );
    },
  });
  return (
    <>
      <Form
        form={editor}
        actions={
          <EditActions form={editor} action={texts.save} onClose={() => choose({ edit: undefined })} />
        }
      >
        <ObjectiveFields form={editor} isSaved />
      </Form>
      <ConflictDialog
        editor={editor}
        labels={labelsOf(texts)}
        textOf={(field, value) => wordValue(field, value, texts)}
      />
    </>
  );
}

function wordValue(
  field: keyof ObjectiveValues,
  value: string | number | boolean | null,
  texts: FormTexts,
): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (field === 'measure') return value === 'monitor' ? texts.measures.monitor : texts.measures.requests;
  if (field === 'windowKind' && (value === 'days' || value === 'month' || value === 'quarter'))
    return texts.windowKinds[value];
  return value === null ? '' : String(value);
}

function labelsOf(texts: FormTexts): Record<keyof ObjectiveValues, string> {
  return {
    ...{ name: texts.nameField, slug: texts.slug, measure: texts.measure, service: texts.service },
    ...{ endpoint: texts.endpointField, method: texts.method, underMs: texts.underMs },
    ...{ monitor: texts.monitor, target: texts.targetField, windowKind: texts.window, days: texts.days },
    isPublic: texts.isPublic,
  };
}
