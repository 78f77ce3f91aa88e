import { useMemo } from 'preact/hooks';
import type { ManagedPolicy } from '../../../../contract/manage/policies.js';
import { useAddress } from '../../address/use-address.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { Form } from '../../kit/form/form.js';
import { EditActions } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { showNotice } from '../../kit/notice.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { kitTexts } from '../../kit/texts.js';
import { pagePath } from '../../reads/api-path.js';
import type { ListAnswer } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { ReadOnlyNote } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { PolicyFields } from './policy-fields.js';
import { StepList } from './step-list.js';
import { policiesTexts } from './texts.js';
import { useNames } from './use-names.js';
import { policyPath } from './use-remove-policy.js';
import { bodyOf, explainPolicy, findProblems, type PolicyValues, valuesOf } from './values.js';

/** The editor of a policy, with its steps in words beside it. */
export function EditPolicy({ slug }: { slug: string }) {
  const { slug: page, may } = usePage();
  const texts = useTexts(policiesTexts);
  const { path, to } = useAddress();
  const read = useRead<ManagedPolicy>(policyPath(page, slug));
  const crumbs = useMemo(() => [{ title: texts.policies, href: to(path) }], [texts, path]);
  return (
    <Screen title={read.data?.name ?? texts.policies} crumbs={crumbs}>
      <ReadView read={read} skeleton={<Skeleton height={320} />}>
        {(policy) =>
          may('notifications.write') ? (
            <Editor {...{ policy, read }} />
          ) : (
            <ReadOnlyNote permission="notifications.write" />
          )
        }
      </ReadView>
    </Screen>
  );
}

/** The policies of the page but one. */
export function useOthers(slug: string | undefined): readonly ManagedPolicy[] {
  const { slug: page } = usePage();
  const list = useRead<ListAnswer<ManagedPolicy>>(pagePath(page, '/policies', { limit: '200' }));
  return list.data?.items.filter((one) => one.slug !== slug) ?? [];
}

function Editor({ policy, read }: { policy: ManagedPolicy; read: Read<ManagedPolicy> }) {
  const { slug: page } = usePage();
  const texts = useTexts(policiesTexts);
  const kit = useTexts(kitTexts);
  const { choose } = useAddress();
  const names = useNames();
  const others = useOthers(policy.slug);
  const close = (): void => choose({ policy: undefined });
  const editor = useEditor<ManagedPolicy, PolicyValues>({
    ...{ path: policyPath(page, policy.slug), read, saved: policy, valuesOf },
    bodyOf(changes, values) {
      const body = Object.entries(bodyOf(values));
      return Object.fromEntries(body.filter(([field]) => field in changes));
    },
    keptAs: `policy ${policy.slug}`,
    check: (values) => findProblems(values, texts),
    fieldOf: (field) => (field === 'steps' ? undefined : field),
    explain: (error) => explainPolicy(error, texts),
    onSaved() {
      showNotice(kit.saved);
      close();
    },
  });
  return (
    <div class="on-call-editor">
      <Panel title={texts.edit}>
        <Form form={editor} actions={<EditActions form={editor} onClose={close} />}>
          <PolicyFields {...{ form: editor, names, others }} />
        </Form>
      </Panel>
      <InWords values={editor.values} withoutRole={policy.withoutRole} />
      <ConflictDialog
        editor={editor}
        labels={{
          ...{ name: texts.name, steps: texts.steps },
          ...{ repeat: texts.repeat, defaultFor: texts.defaultFor },
        }}
      />
    </div>
  );
}

type InWordsProps = { values: PolicyValues; withoutRole?: readonly string[] };

/** The steps as the list shows them. */
export function InWords({ values, withoutRole = [] }: InWordsProps) {
  const texts = useTexts(policiesTexts);
  const names = useNames();
  const { steps, repeat } = bodyOf(values);
  return (
    <Panel title={texts.inWords}>
      <StepList policy={{ steps, repeat: repeat ?? 0, withoutRole: [...withoutRole] }} names={names} />
    </Panel>
  );
}
