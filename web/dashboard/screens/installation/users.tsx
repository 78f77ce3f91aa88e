import { useMemo } from 'preact/hooks';
import type { ManagedUser } from '../../../../contract/manage/users.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useTexts } from '../../texts.js';
import { type InstallationTexts, installationTexts } from './texts.js';
import { useList } from './use-list.js';

/** Everybody with an account. There is somebody: the one who looks. */
export function Users() {
  const texts = useTexts(installationTexts);
  const format = useFormat();
  const list = useList<ManagedUser>('/api/v1/users');
  const columns = useMemo(() => columnsOf(texts, format), [texts, format]);
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
    </Panel>
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
