import { useMemo, useState } from 'preact/hooks';
import type { ManagedPerson } from '../../../../contract/manage/people.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { type List, useList } from '../../reads/use-list.js';
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

/** Who may do what on the page, and who is invited. */
export default function People() {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(peopleTexts);
  const { choose } = useAddress();
  const { slug } = usePage();
  const list = useList<ManagedPerson>(pagePath(slug, '/people'));
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
      <Panel title={texts.list} note={texts.why} flush>
        <ReadView read={list.read} skeleton={<Skeleton lines={5} />}>
          {({ items }) => <PeopleTable people={items} list={list} />}
        </ReadView>
      </Panel>
      <Invitations />
      <RolesTable />
    </Screen>
  );
}

type Asked = { person: ManagedPerson; about: 'role' | 'removal' };

function PeopleTable({ people, list }: { people: readonly ManagedPerson[]; list: List<ManagedPerson> }) {
  const { screens } = useTexts(shellTexts);
  const texts = useTexts(peopleTexts);
  const format = useFormat();
  const { caller } = useSession().me;
  const [asked, setAsked] = useState<Asked>();
  const owners = people.filter(({ role, disabled }) => role === 'owner' && !disabled);
  // With further parts of the list there may be further owners; the service knows.
  const isWhole = list.onNewest === undefined && list.onOlder === undefined;
  const lastOwner = isWhole && owners.length === 1 ? owners[0]?.id : undefined;
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
    <>
      <DataTable
        addressKey="people"
        name={screens.people}
        rows={people}
        columns={columns}
        keyOf={({ id }) => id}
        sorting={{ key: 'person', isDescending: false }}
        actions={<Paging onNewest={list.onNewest} onOlder={list.onOlder} />}
      />
      {lastOwner !== undefined && <p class="table-note note">{texts.lastOwner}</p>}
      {asked?.about === 'role' && <ChangeRole person={asked.person} {...dialog} />}
      {asked?.about === 'removal' && <RemovePerson person={asked.person} {...dialog} />}
    </>
  );
}
