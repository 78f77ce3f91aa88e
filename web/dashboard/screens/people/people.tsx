import { useMemo, useState } from 'preact/hooks';
import type { ManagedPerson } from '../../../../contract/manage/people.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import { pagePath } from '../../reads/api-path.js';
import { isWhole, searchedPart, useList } from '../../reads/use-list.js';
import { usePage, useSession } from '../../session.js';
import { NoMailNote } from '../../shell/no-mail.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { useTexts } from '../../texts.js';
import { ChangeRole } from './change-role.js';
import { columnsOf } from './columns.js';
import { Invitations } from './invitations.js';
import { RemovePerson } from './remove-person.js';
import { RolesTable } from './roles-table.js';
import { peopleTexts } from './texts.js';

type Asked = { person: ManagedPerson; about: 'role' | 'removal' };

/** Who may do what on the page, and who is invited. */
export default function People() {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(peopleTexts);
  const format = useFormat();
  const { choose } = useAddress();
  const { slug } = usePage();
  const { caller } = useSession().me;
  const [asked, setAsked] = useState<Asked>();
  const list = useList<ManagedPerson>(pagePath(slug, '/people'), searchedPart);
  const owners = list.read.data?.items.filter(({ role, disabled }) => role === 'owner' && !disabled) ?? [];
  // With further parts of the list there may be further owners; the service knows.
  const lastOwner = isWhole(list) && owners.length === 1 ? owners[0]?.id : undefined;
  const columns = useMemo(
    () =>
      columnsOf(texts, format, {
        ...{ own: caller.id, lastOwner },
        onAsk: (person, about) => setAsked({ person, about }),
      }),
    [texts, format, caller.id, lastOwner],
  );
  const dialog = { onChanged: list.read.retry, onClose: () => setAsked(undefined) };
  return (
    <Screen
      title={screens.people}
      actions={
        <PermittedButton permission="people.write" onClick={() => choose({ new: 'invitation' })}>
          <Icon name="plus" />
          {texts.invite}
        </PermittedButton>
      }
    >
      <NoMailNote />
      <ResourceList
        {...{ list, columns, title: texts.list, note: texts.why }}
        addressKey="people"
        name={screens.people}
        keyOf={({ id }) => id}
        sorting={{ key: 'person', isDescending: false }}
      >
        {lastOwner !== undefined && <p class="table-note note">{texts.lastOwner}</p>}
        {asked?.about === 'role' && <ChangeRole person={asked.person} {...dialog} />}
        {asked?.about === 'removal' && <RemovePerson person={asked.person} {...dialog} />}
      </ResourceList>
      <Invitations />
      <RolesTable />
    </Screen>
  );
}
