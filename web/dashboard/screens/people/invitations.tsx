import { useMemo, useState } from 'preact/hooks';
import type { ManagedInvitation } from '../../../../contract/manage/people.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { useList } from '../../reads/use-list.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { useTexts } from '../../texts.js';
import { Invite } from './invite.js';
import { type PeopleTexts, peopleTexts } from './texts.js';

/** Invitations that nobody has accepted, and the dialog that makes one. */
export function Invitations() {
  const texts = useTexts(peopleTexts);
  const format = useFormat();
  const { query, choose } = useAddress();
  const { slug } = usePage();
  const [asked, setAsked] = useState<ManagedInvitation>();
  const { read, onNewest, onOlder } = useList<ManagedInvitation>(pagePath(slug, '/invitations'));
  const columns = useMemo(() => columnsOf(texts, format, setAsked), [texts, format]);
  return (
    <Panel title={texts.invitations} note={texts.invitationsWhy} flush>
      <ReadView
        read={read}
        skeleton={<Skeleton lines={2} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.noInvitations}>
            <p>{texts.noInvitationsWhy}</p>
            <PermittedButton
              permission="people.write"
              class="button small"
              onClick={() => choose({ new: 'invitation' })}
            >
              {texts.invite}
            </PermittedButton>
          </Empty>
        }
      >
        {({ items }) => (
          <DataTable
            addressKey="invitations"
            name={texts.invitations}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'expires', isDescending: true }}
            isShort={items.length < 10 && onOlder === undefined && onNewest === undefined}
            actions={<Paging onNewest={onNewest} onOlder={onOlder} />}
          />
        )}
      </ReadView>
      {query['new'] === 'invitation' && (
        <Invite onInvited={read.retry} onClose={() => choose({ new: undefined })} />
      )}
      {asked !== undefined && (
        <Withdraw invitation={asked} onChanged={read.retry} onClose={() => setAsked(undefined)} />
      )}
    </Panel>
  );
}

type WithdrawProps = { invitation: ManagedInvitation; onChanged(): void; onClose(): void };

function Withdraw({ invitation: { id, email }, onChanged, onClose }: WithdrawProps) {
  const texts = useTexts(peopleTexts);
  const { slug } = usePage();
  const { run, isSending, error } = useSend(async () => {
    await sendJson('DELETE', pagePath(slug, `/invitations/${id}`));
    showNotice(texts.withdrawn);
    onChanged();
    onClose();
  });
  return (
    <Confirm
      title={texts.withdrawTitle(email)}
      action={texts.withdraw}
      isDanger
      {...{ isSending, error, onClose }}
      onConfirm={run}
    >
      <p>{texts.withdrawWhy}</p>
    </Confirm>
  );
}

function columnsOf(
  texts: PeopleTexts,
  format: Format,
  onWithdraw: (invitation: ManagedInvitation) => void,
): Column<ManagedInvitation>[] {
  return [
    { key: 'email', title: texts.email, value: ({ email }) => email },
    { key: 'role', title: texts.role, value: ({ role }) => texts.roles[role] },
    {
      key: 'invitedBy',
      title: texts.invitedBy,
      isMinor: true,
      value: ({ invitedBy, invitedByName }) => invitedByName ?? invitedBy,
    },
    {
      key: 'expires',
      title: texts.expires,
      isFigure: true,
      isMinor: true,
      value: ({ expiresAt }) => Date.parse(expiresAt),
      text: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => format.moment(Date.parse(expiresAt)),
    },
    {
      key: 'actions',
      title: texts.actions,
      isPicture: true,
      class: 'actions-cell',
      value: () => null,
      cell: (invitation) => (
        <button
          type="button"
          class="button small"
          aria-label={texts.withdrawOf(invitation.email)}
          onClick={() => onWithdraw(invitation)}
        >
          {texts.withdraw}
        </button>
      ),
    },
  ];
}
