import { useMemo } from 'preact/hooks';
import type { ManagedSchedule, PersonOnCall } from '../../../../../contract/manage/schedules.js';
import { proposeResourceSlug } from '../../../../../lib/slug.js';
import { useAddress } from '../../../address/use-address.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import { type FormState, useForm } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { usePage } from '../../../session.js';
import { ReadOnlyNote } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { dayOf, mondayOf } from '../calendar/span.js';
import { usePeople } from '../person-field.js';
import { schedulePath } from '../schedule-path.js';
import { onCallTexts } from '../texts.js';
import { DraftPreview } from './draft-preview.js';
import { explainLayers } from './explain.js';
import { ScheduleFields } from './schedule-fields.js';
import { findProblems, layersOf, newLayer, type ScheduleValues } from './values.js';

/** A schedule that begins with a week each, from Monday at nine, in the zone of the browser. */
export function NewSchedule() {
  const { may } = usePage();
  const texts = useTexts(onCallTexts);
  const { path, to } = useAddress();
  const crumbs = useMemo(() => [{ title: texts.onCall, href: to(path) }], [texts, path]);
  const people = usePeople();
  return (
    <Screen title={texts.addTitle} crumbs={crumbs}>
      {may('notifications.write') ? (
        <NewForm people={people.data?.items ?? []} />
      ) : (
        <ReadOnlyNote permission="notifications.write" />
      )}
    </Screen>
  );
}

function NewForm({ people }: { people: readonly PersonOnCall[] }) {
  const { slug: page } = usePage();
  const texts = useTexts(onCallTexts);
  const { choose } = useAddress();
  const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const monday = mondayOf(dayOf(Date.now(), timeZone));
  const form: FormState<ScheduleValues> = useForm<ScheduleValues>({
    initial: { name: '', timeZone, layers: [newLayer(texts.firstLayer, monday)] },
    keptAs: 'new schedule',
    check: (values) => findProblems(values, texts),
    fieldOf: (field) => (field === 'layers' ? undefined : field),
    async send(values) {
      const { name, timeZone: zone } = values;
      const slug = proposeResourceSlug(name, 'schedule');
      const body = { name: name.trim(), timeZone: zone, layers: layersOf(values) };
      const made = await sendJson<ManagedSchedule>('PUT', schedulePath(page, slug), body, { isNew: true });
      showNotice(texts.created({ name: made.name }));
      choose({ new: undefined, schedule: made.slug });
    },
    explain(error) {
      return error.status === 412 ? { name: texts.nameTaken } : explainLayers(error, form.values.layers);
    },
  });
  return (
    <div class="on-call-editor">
      <Panel title={texts.addTitle} note={texts.noneWhy}>
        <Form
          form={form}
          actions={
            <FormButtons form={form} action={texts.create} onClose={() => choose({ new: undefined })} />
          }
        >
          <ScheduleFields form={form} people={people} />
        </Form>
      </Panel>
      <DraftPreview values={form.values} />
    </div>
  );
}
