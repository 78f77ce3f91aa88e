import { useMemo, useState } from 'preact/hooks';
import type { ManagedUser } from '../../../../contract/manage/users.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useList } from '../../reads/use-list.js';
import { useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';
import { ChangeUser } from './user/change-user.js';
import { userTexts } from './user/texts.js';

/** Everybody with an account, and what changes it. There is somebody: the one who looks. */
export function Users() {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const list = useList<ManagedUser>('/api/v1/users');
  const [asked, setAsked] = useState<ManagedUser>();
  const { change, changeOf } = useTexts(userTexts);
  const columns = useMemo(
    () => [
      ...columnsOf(texts, format),
      actionColumn({ title: texts.action, change, changeOf, onAsk: setAsked }),
    ],
    [texts, format, change, changeOf],
  );
  const admins = list.read.data?.items.filter(({ admin, disabled }) => admin && !disabled) ?? [];
  // With further parts of the list there may be further admins; the service knows.
  const isWhole = list.onNewest === undefined && list.onOlder === undefined;
  return (
    <Panel title={texts.users} flush>
      <ReadView read={list.read} skeleton={<Skeleton lines={5} />}>
        {({ items }) => (
          <DataTable
            addressKey="people"
            name={texts.users}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'user', isDescending: false }}
            actions={<Paging onNewest={list.onNewest} onOlder={list.onOlder} />}
          />
        )}
      </ReadView>
      {asked !== undefined && (
        <ChangeUser
          user={asked}
          isLastAdmin={isWhole && admins.length === 1 && admins[0]?.id === asked.id}
          onChanged={list.read.retry}
          onClose={() => setAsked(undefined)}
        />
      )}
    </Panel>
  );
}

type ActionTexts = { title: string; change: string; changeOf(person: string): string };

function actionColumn({
  title,
  change,
  changeOf,
  onAsk,
}: ActionTexts & { onAsk(user: ManagedUser): void }): Column<ManagedUser> {
  return {
    ...{ key: 'action', title, isPicture: true, class: 'actions-cell' },
    value: () => null,
    cell: (user) => (
      <button type="button" class="button small" aria-label={changeOf(user.name)} onClick={() => onAsk(user)}>
        {change}
      </button>
    ),
  };
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
    {
      key: 'lastSignIn',
      title: texts.lastSignIn,
      isFigure: true,
      isMinor: true,
      value: ({ lastSignedInAt }) => (lastSignedInAt === null ? null : Date.parse(lastSignedInAt)),
      text: ({ lastSignedInAt }) => lastSignedInAt ?? '',
      cell: ({ lastSignedInAt }) =>
        lastSignedInAt === null
          ? texts.neverRun
          : format.ago(Math.max(0, Date.now() - Date.parse(lastSignedInAt))),
    },
  ];
}

function wayOf({ hasPassword, hasTotp, identityProvider }: ManagedUser, texts: InstallationTexts): string {
  if (identityProvider !== null) return texts.provider;
  if (!hasPassword) return texts.nothingYet;
  return hasTotp ? texts.passwordAndApp : texts.password;
}
