import { useMemo } from 'preact/hooks';
import type { ManagedEmail } from '../../../../contract/manage/subscribers.js';
import type { EmailKind, EmailState } from '../../../../contract/subscribers.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Segments, SelectField } from '../../kit/form/choices.js';
import { showNotice } from '../../kit/notice.js';
import { ResourceList } from '../../kit/resource-list.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { fromNewest, keptPart, useList } from '../../reads/use-list.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import type { SubscribersTexts } from './texts.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

const states: readonly EmailState[] = ['pending', 'delivered', 'parked'];
const kinds: readonly EmailKind[] = ['confirmation', 'announcement', 'notice'];
const tones: Readonly<Record<EmailState, Tone>> = { pending: 'info', delivered: 'good', parked: 'bad' };
const pollMs = 10_000;

/** Lists the emails of the page and their outcomes. */
export function EmailLog() {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  const format = useFormat();
  const { query, choose } = useAddress();
  const state = states.find((one) => one === query['mail']);
  const kind = kinds.find((one) => one === query['kind']);
  const list = useList<ManagedEmail>(pagePath(slug, '/emails'), {
    ...{ ...keptPart, filter: { state, kind }, everyMs: pollMs },
  });
  const resend = useSend(async ({ id, email }: ManagedEmail) => {
    await sendJson('POST', pagePath(slug, `/emails/${id}/resend`));
    showNotice(texts.resent({ email }));
    list.read.retry();
  });
  const columns = useMemo(() => columnsOf(texts, format, resend.run), [texts, format]);
  const all = { value: '', title: texts.all } as const;
  const isFiltered = state !== undefined || kind !== undefined;
  return (
    <ResourceList
      {...{ list, columns, isShort: true, title: texts.emails, note: texts.emailsWhy, error: resend.error }}
      keyOf={({ id }) => id}
      sorting={{ key: 'queued', isDescending: true }}
      lines={9}
      tools={
        <>
          <Segments
            label={texts.states}
            value={state ?? ''}
            options={[all, ...states.map((value) => ({ value, title: texts.emailStates[value] }))]}
            onChoose={(value) => choose({ ...fromNewest, mail: value })}
          />
          <SelectField
            label={texts.kind}
            value={kind ?? ''}
            options={[all, ...kinds.map((value) => ({ value, title: texts.kinds[value] }))]}
            onChoose={(value) => choose({ ...fromNewest, kind: value })}
          />
        </>
      }
      empty={
        isFiltered
          ? {
              title: texts.noEmailsFound,
              action: (
                <button
                  type="button"
                  class="button small"
                  onClick={() => choose({ ...fromNewest, mail: undefined, kind: undefined })}
                >
                  {texts.showAllEmails}
                </button>
              ),
            }
          : { title: texts.noEmails, why: texts.noEmailsWhy }
      }
    />
  );
}

function columnsOf(
  texts: SubscribersTexts,
  format: Format,
  resend: (email: ManagedEmail) => void,
): Column<ManagedEmail>[] {
  return [
    {
      key: 'recipient',
      title: texts.recipient,
      class: 'address-cell',
      value: ({ email }) => email,
      cell: ({ email }) => <span title={email}>{email}</span>,
    },
    { key: 'kind', title: texts.kind, isMinor: true, value: ({ kind }) => texts.kinds[kind] },
    {
      key: 'state',
      title: texts.stateTitle,
      value: ({ state }) => texts.emailStates[state],
      cell: ({ state }) => <Badge tone={tones[state]}>{texts.emailStates[state]}</Badge>,
    },
    {
      key: 'reason',
      title: texts.reasonOf,
      class: 'reason-cell',
      value: ({ reason }) => reason,
      cell: ({ reason, nextAttemptAt, attempts }) => (
        <span title={reason ?? ''} dir="auto">
          {reason}
          {nextAttemptAt !== null && attempts > 0 && (
            <span class="note"> {texts.next({ time: format.moment(Date.parse(nextAttemptAt)) })}</span>
          )}
        </span>
      ),
    },
    {
      key: 'attempts',
      title: texts.attempts,
      isFigure: true,
      isMinor: true,
      value: ({ attempts }) => attempts,
    },
    timeColumn({
      key: 'queued',
      title: texts.queued,
      timeOf: ({ createdAt }) => createdAt,
      say: format.moment,
    }),
    actionColumn(
      texts.actions,
      (email) =>
        email.state === 'parked' && (
          <button
            type="button"
            class="button small"
            aria-label={texts.resendOf({ email: email.email })}
            onClick={() => resend(email)}
          >
            {texts.resend}
          </button>
        ),
    ),
  ];
}
