import type { ManagedObjective } from '../../../../../contract/manage/objectives.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Form } from '../../../kit/form/form.js';
import { FormButtons } from '../../../kit/form/form-buttons.js';
import { useForm } from '../../../kit/form/use-form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';
import { ObjectiveFields } from './objective-fields.js';
import { formTexts } from './texts.js';
import {
  bodyOf,
  checkObjective,
  explainObjective,
  newObjective,
  type ObjectiveValues,
  slugOf,
} from './values.js';

/** A new objective. */
export function NewObjective() {
  const { slug } = usePage();
  const { path, to, replace, choose } = useAddress();
  const texts = useTexts(formTexts);
  const { list } = useTexts(objectivesTexts);
  const format = useFormat();
  const form = useForm<ObjectiveValues>({
    ...{ initial: newObjective, keptAs: 'new objective' },
    required: ['name'],
    check: (values) => checkObjective(values, texts),
    explain: (error) => explainObjective(error, texts),
    async send(values) {
      const key = slugOf(values);
      const created = await sendJson<ManagedObjective>(
        'PUT',
        pagePath(slug, `/objectives/${key}`),
        bodyOf(values),
        { isNew: true },
      );
      const { name, underMsUsed } = created;
      replace({ new: undefined, objective: created.slug });
      showNotice(
        underMsUsed === null || underMsUsed === values.underMs
          ? texts.created({ name })
          : texts.createdMoved({ name, ms: format.ms(underMsUsed) }),
      );
    },
  });
  return (
    <Screen title={texts.newTitle} crumbs={[{ title: list, href: to(path) }]}>
      <Panel title={texts.form}>
        <Form
          form={form}
          actions={
            <FormButtons form={form} action={texts.create} onClose={() => choose({ new: undefined })} />
          }
        >
          <ObjectiveFields form={form} isSaved={false} />
        </Form>
      </Panel>
    </Screen>
  );
}
