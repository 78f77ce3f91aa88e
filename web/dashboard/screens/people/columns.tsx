import { useId } from 'preact/hooks';
import type { ManagedPerson } from '../../../../contract/manage/people.js';
import { pageRoles } from '../../../../contract/permissions.js';
import type { Format } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Icon, type IconName } from '../../kit/icons.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import type { PeopleTexts } from './texts.js';

type Asking = {
  /** Id of who looks. */
  own: string;
  /** Id of the person whose role the service keeps, because nobody else is owner. */
  lastOwner: string | undefined;
  onAsk(person: ManagedPerson, about: 'role' | 'removal'): void;
};

/** The columns of the people of a page. */
export function columnsOf(texts: PeopleTexts, format: Format, asking: Asking): Column<ManagedPerson>[] {
  return [
    {
      key: 'person',
      title: texts.person,
      value: ({ name }) => name,
      text: ({ name, email }) => `${name} ${email}`,
      cell: ({ id, name, email }) => (
        <span class="two-lines">
          <span dir="auto">
            {name}
            {id === asking.own && <span class="note"> ({texts.you})</span>}
          </span>
          <span class="note">{email}</span>
        </span>
      ),
    },
    {
      key: 'role',
      title: texts.role,
      value: ({ role }) => pageRoles.indexOf(role),
      text: ({ role }) => texts.roles[role],
      cell: ({ role, byGroups, disabled }) => (
        <>
          {texts.roles[role]}
          {byGroups && <span class="note"> {texts.byGroups}</span>}
          {disabled && <Badge tone="bad">{texts.disabled}</Badge>}
        </>
      ),
    },
    timeColumn({
      ...{ key: 'lastSignIn', title: texts.lastSignIn, none: texts.never },
      timeOf: ({ lastSignedInAt }) => lastSignedInAt,
      say: (at) => format.ago(Math.max(0, Date.now() - at)),
    }),
    timeColumn({ key: 'since', title: texts.since, timeOf: ({ createdAt }) => createdAt, say: format.day }),
    actionColumn(texts.actions, (person) => <Actions {...{ person, texts, asking }} />),
  ];
}

function Actions({ person, texts, asking }: { person: ManagedPerson; texts: PeopleTexts; asking: Asking }) {
  const id = useId();
  const refusal = person.id === asking.lastOwner ? texts.lastOwner : undefined;
  const button = (about: 'role' | 'removal', label: string, icon: IconName) => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      aria-disabled={refusal !== undefined}
      title={refusal ?? label}
      {...(refusal !== undefined && { 'aria-describedby': id })}
      onClick={() => refusal === undefined && asking.onAsk(person, about)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <span class="row-actions">
      {button('role', texts.changeOf({ person: person.name }), 'edit')}
      {button('removal', texts.removeOf({ person: person.name }), 'trash')}
      {refusal !== undefined && (
        <span id={id} class="visually-hidden">
          {refusal}
        </span>
      )}
    </span>
  );
}
