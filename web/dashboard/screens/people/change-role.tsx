import type { ManagedPerson } from '../../../../contract/manage/people.js';
import type { Me } from '../../../../contract/manage/session.js';
import type { PageRole } from '../../../../contract/permissions.js';
import { Dialog } from '../../kit/dialog.js';
import { ConflictDialog } from '../../kit/form/conflict.js';
import { Form } from '../../kit/form/form.js';
import { FormButtons } from '../../kit/form/form-buttons.js';
import { useEditor } from '../../kit/form/use-editor.js';
import { showNotice } from '../../kit/notice.js';
import { ReadView } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, sendJson } from '../../reads/fetch-json.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { usePage, useSession } from '../../session.js';
import { useTexts } from '../../texts.js';
import { RoleChoice } from './role-choice.js';
import { peopleTexts } from './texts.js';

type ChangeProps = { person: ManagedPerson; onChanged(): void; onClose(): void };

/** Gives somebody another role; the notice that follows takes it back. */
export function ChangeRole({ person, onChanged, onClose }: ChangeProps) {
  const texts = useTexts(peopleTexts);
  const { slug } = usePage();
  const path = pagePath(slug, `/people/${person.id}`);
  const read = useRead<ManagedPerson>(path);
  return (
    <Dialog title={texts.changeOf({ person: person.name })} onClose={onClose} isWide>
      <ReadView read={read}>
        {(saved) => <RoleForm {...{ path, read, saved, onChanged, onClose }} />}
      </ReadView>
    </Dialog>
  );
}

type RoleFormProps = Pick<ChangeProps, 'onChanged' | 'onClose'> & {
  path: string;
  read: Read<ManagedPerson>;
  saved: ManagedPerson;
};

function RoleForm({ path, read, saved, onChanged, onClose }: RoleFormProps) {
  const texts = useTexts(peopleTexts);
  const { me, setMe } = useSession();
  const isOwn = saved.id === me.caller.id;
  /** The own role decides which screens there are. */
  const follow = async (): Promise<void> => {
    onChanged();
    const answer = isOwn ? await fetchJson<Me>('/api/v1/me') : 'unchanged';
    if (answer !== 'unchanged') setMe(answer.body);
  };
  const takeBack = async (before: PageRole, ifMatch: string | undefined): Promise<void> => {
    await sendJson('PATCH', path, { role: before }, { ifMatch });
    await follow();
  };
  const editor = useEditor({
    ...{ path, read, saved },
    valuesOf: ({ role }) => ({ role }),
    keptAs: `role ${saved.id}`,
    onSaved({ name, role }, etag, base) {
      showNotice(
        texts.changed({ person: name, role: texts.roles[role] }),
        () => void takeBack(base.role, etag).catch(() => showNotice(texts.notChanged)),
      );
      void follow();
      onClose();
    },
  });
  return (
    <Form
      form={editor}
      actions={<FormButtons action={texts.change} form={editor} needsChange onClose={onClose} />}
    >
      <RoleChoice value={editor.values.role} onChoose={editor.set('role')} />
      {isOwn && <p class="read-only-note">{texts.ownRole}</p>}
      {saved.byGroups && <p class="read-only-note">{texts.byGroupsWhy}</p>}
      <ConflictDialog editor={editor} labels={{ role: texts.role }} textOf={(_, role) => texts.roles[role]} />
    </Form>
  );
}
