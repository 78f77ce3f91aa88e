import { useMemo, useState } from 'preact/hooks';
import type { ManagedInvitation } from '../../../../contract/manage/people.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { ResourceList } from '../../kit/resource-list.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { isWhole, searchedPart, useList } from '../../reads/use-list.js';
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
  const list = useList<ManagedInvitation>(pagePath(slug, '/invitations'), searchedPart);
  const columns = useMemo(() => columnsOf(texts, format, setAsked), [texts, format]);
  return (
    <ResourceList
      {...{ list, columns, title: texts.invitations, note: texts.invitationsWhy, lines: 2 }}
      addressKey="invitations"
      keyOf={({ id }) => id}
      sorting={{ key: 'expires', isDescending: true }}
      isShort={isWhole(list) && (list.read.data?.items.length ?? 0) < 10}
      empty={{
        ...{ title: texts.noInvitations, why: texts.noInvitationsWhy },
        action: (
          <PermittedButton
            permission="people.write"
            class="button small"
            onClick={() => choose({ new: 'invitation' })}
          >
            {texts.invite}
          </PermittedButton>
        ),
      }}
    >
      {query['new'] === 'invitation' && (
        <Invite onInvited={list.read.retry} onClose={() => choose({ new: undefined })} />
      )}
      {asked !== undefined && (
        <Withdraw invitation={asked} onChanged={list.read.retry} onClose={() => setAsked(undefined)} />
      )}
    </ResourceList>
  );
}

type WithdrawProps = { invitation: ManagedInvitation; onChanged(): void; onClose(): void };

function Withdraw({ invitation: { id, email }, onChanged, onClose }: WithdrawProps) {
  const texts = useTexts(peopleTexts);
  const { slug } = usePage();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/invitations/${id}`));
    showNotice(texts.withdrawn);
    onChanged();
  };
  return (
    <Confirm
      title={texts.withdrawTitle({ email })}
      action={texts.withdraw}
      isDanger
      onClose={onClose}
      onConfirm={confirm}
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
    timeColumn({
      key: 'expires',
      title: texts.expires,
      timeOf: ({ expiresAt }) => expiresAt,
      say: format.moment,
    }),
    actionColumn(texts.actions, (invitation) => (
      <button
        type="button"
        class="button small"
        aria-label={texts.withdrawOf({ email: invitation.email })}
        onClick={() => onWithdraw(invitation)}
      >
        {texts.withdraw}
      </button>
    )),
  ];
}
