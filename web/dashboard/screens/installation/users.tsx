import { useMemo, useState } from 'preact/hooks';
import type { ManagedUser } from '../../../../contract/manage/users.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { ResourceList } from '../../kit/resource-list.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { isWhole, searchedPart, useList } from '../../reads/use-list.js';
import { useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';
import { ChangeUser } from './user/change-user.js';
import { userTexts } from './user/texts.js';

/** Everybody with an account, and what changes it. There is somebody: the one who looks. */
export function Users() {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const list = useList<ManagedUser>('/api/v1/users', searchedPart);
  const [asked, setAsked] = useState<ManagedUser>();
  const { change, changeOf } = useTexts(userTexts);
  const columns = useMemo(
    () => [
      ...columnsOf(texts, format),
      actionColumn<ManagedUser>(texts.action, (user) => (
        <button
          type="button"
          class="button small"
          aria-label={changeOf({ person: user.name })}
          onClick={() => setAsked(user)}
        >
          {change}
        </button>
      )),
    ],
    [texts, format, change, changeOf],
  );
  const admins = list.read.data?.items.filter(({ admin, disabled }) => admin && !disabled) ?? [];
  // With further parts of the list there may be further admins; the service knows.
  const isLastAdmin = isWhole(list) && admins.length === 1 && admins[0]?.id === asked?.id;
  return (
    <ResourceList
      {...{ list, columns, title: texts.users }}
      addressKey="people"
      keyOf={({ id }) => id}
      sorting={{ key: 'user', isDescending: false }}
    >
      {asked !== undefined && (
        <ChangeUser
          user={asked}
          isLastAdmin={isLastAdmin}
          onChanged={list.read.retry}
          onClose={() => setAsked(undefined)}
        />
      )}
    </ResourceList>
  );
}

const tones: Readonly<Record<'admin' | 'disabled' | 'usual', Tone>> = {
  admin: 'info',
  disabled: 'bad',
  usual: 'good',
};

function stateOf({ admin, disabled }: ManagedUser): keyof typeof tones {
  if (disabled) return 'disabled';
  return admin ? 'admin' : 'usual';
}

function columnsOf(texts: InstallationTexts, format: Format): Column<ManagedUser>[] {
  return [
    {
      key: 'user',
      title: texts.user,
      value: ({ name, email }) => `${name} ${email}`,
      cell: ({ name, email }) => (
        <span title={email} dir="auto">
          {name} <span class="note">{email}</span>
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      value: (user) => texts.userStates[stateOf(user)],
      cell: (user) => {
        const state = stateOf(user);
        return <Badge tone={tones[state]}>{texts.userStates[state]}</Badge>;
      },
    },
    {
      key: 'signsIn',
      title: texts.signsIn,
      isMinor: true,
      value: (user) => wayOf(user, texts),
    },
    timeColumn({
      ...{ key: 'lastSignIn', title: texts.lastSignIn, none: texts.neverRun },
      timeOf: ({ lastSignedInAt }) => lastSignedInAt,
      say: (at) => format.ago(Math.max(0, Date.now() - at)),
    }),
  ];
}

function wayOf({ hasPassword, hasTotp, identityProvider }: ManagedUser, texts: InstallationTexts): string {
  if (identityProvider !== null) return texts.provider;
  if (!hasPassword) return texts.nothingYet;
  return hasTotp ? texts.passwordAndApp : texts.password;
}
