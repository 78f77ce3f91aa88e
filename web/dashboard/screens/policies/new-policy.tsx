import { useMemo } from 'preact/hooks';
import type { ManagedPolicy } from '../../../../contract/manage/policies.js';
import { proposeResourceSlug } from '../../../../lib/slug.js';
import { useAddress } from '../../address/use-address.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useForm } from '../../kit/form/use-form.js';
import { showNotice } from '../../kit/notice.js';
import { Panel } from '../../kit/panel.js';
import { sendJson } from '../../reads/fetch-json.js';
import { usePage } from '../../session.js';
import { ReadOnlyNote } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { InWords, useOthers } from './edit-policy.js';
import { PolicyFields } from './policy-fields.js';
import { policiesTexts } from './texts.js';
import { useNames } from './use-names.js';
import { policyPath } from './use-remove-policy.js';
import { bodyOf, explainPolicy, findProblems, type PolicyValues, usualStep } from './values.js';

/** A policy that begins with one step. The first one of a page is for every severity that wakes or waits. */
export function NewPolicy() {
  const { may } = usePage();
  const texts = useTexts(policiesTexts);
  const { path, to } = useAddress();
  const crumbs = useMemo(() => [{ title: texts.policies, href: to(path) }], [texts, path]);
  return (
    <Screen title={texts.addTitle} crumbs={crumbs}>
      {may('notifications.write') ? <NewForm /> : <ReadOnlyNote permission="notifications.write" />}
    </Screen>
  );
}

function NewForm() {
  const { slug: page } = usePage();
  const texts = useTexts(policiesTexts);
  const { choose } = useAddress();
  const names = useNames();
  const others = useOthers(undefined);
  const form = useForm<PolicyValues>({
    initial: { name: '', steps: [usualStep], repeat: 0, defaultFor: [] },
    keptAs: 'new policy',
    check: (values) => findProblems(values, texts),
    fieldOf: (field) => (field === 'steps' ? undefined : field),
    async send(values) {
      const path = policyPath(page, proposeResourceSlug(values.name, 'policy'));
      const made = await sendJson<ManagedPolicy>('PUT', path, bodyOf(values), { isNew: true });
      showNotice(texts.created({ name: made.name }));
      choose({ new: undefined });
    },
    explain: (error) => explainPolicy(error, texts),
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
          <PolicyFields {...{ form, names, others }} />
        </Form>
      </Panel>
      <InWords values={form.values} />
    </div>
  );
}
