import { useMemo } from 'preact/hooks';
import type { ManagedEmail } from '../../../../contract/manage/subscribers.js';
import type { EmailKind, EmailState } from '../../../../contract/subscribers.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Segments, SelectField } from '../../kit/form/choices.js';
import { SendError } from '../../kit/form/form.js';
import { showNotice } from '../../kit/notice.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { fromNewest, usePart } from '../../reads/use-part.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import type { SubscribersTexts } from './texts.js';
import { useSubscribersTexts } from './use-subscribers-texts.js';

const states: readonly EmailState[] = ['pending', 'delivered', 'parked'];
const kinds: readonly EmailKind[] = ['confirmation', 'announcement', 'notice'];
const tones: Readonly<Record<EmailState, Tone>> = { pending: 'info', delivered: 'good', parked: 'bad' };
const pollMs = 10_000;

/** What became of each email of the page. */
export function EmailLog() {
  const { slug } = usePage();
  const texts = useSubscribersTexts();
  const format = useFormat();
  const { query, choose } = useAddress();
  const state = states.find((one) => one === query['mail']);
  const kind = kinds.find((one) => one === query['kind']);
  const list = usePart<ManagedEmail>(pagePath(slug, '/emails'), { state, kind }, { everyMs: pollMs });
  const resend = useSend(async ({ id, email }: ManagedEmail) => {
    await sendJson('POST', pagePath(slug, `/emails/${id}/resend`));
    showNotice(texts.resent(email));
    list.read.retry();
  });
  const columns = useMemo(() => columnsOf(texts, format, resend.run), [texts, format]);
  const all = { value: '', title: texts.all } as const;
  return (
    <Panel title={texts.emails} note={texts.emailsWhy} flush>
      <div class="table-tools list-tools">
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
        <Paging onNewest={list.onNewest} onOlder={list.onOlder} />
      </div>
      {resend.error !== undefined && <SendError error={resend.error} />}
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={9} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<NoEmail isFiltered={state !== undefined || kind !== undefined} />}
      >
        {({ items }) => (
          <DataTable
            isShort
            name={texts.emails}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'queued', isDescending: true }}
          />
        )}
      </ReadView>
    </Panel>
  );
}

function NoEmail({ isFiltered }: { isFiltered: boolean }) {
  const texts = useSubscribersTexts();
  const { choose } = useAddress();
  return (
    <Empty title={isFiltered ? texts.noEmailsFound : texts.noEmails}>
      {isFiltered ? (
        <button
          type="button"
          class="button small"
          onClick={() => choose({ ...fromNewest, mail: undefined, kind: undefined })}
        >
          {texts.showAllEmails}
        </button>
      ) : (
        <p>{texts.noEmailsWhy}</p>
      )}
    </Empty>
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
            <span class="note"> {texts.next(format.moment(Date.parse(nextAttemptAt)))}</span>
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
    {
      key: 'queued',
      title: texts.queued,
      isFigure: true,
      isMinor: true,
      value: ({ createdAt }) => Date.parse(createdAt),
      cell: ({ createdAt }) => format.moment(Date.parse(createdAt)),
    },
    {
      key: 'actions',
      title: texts.actions,
      isPicture: true,
      class: 'actions-cell',
      value: () => null,
      cell: (email) =>
        email.state === 'parked' && (
          <button
            type="button"
            class="button small"
            aria-label={texts.resendOf(email.email)}
            onClick={() => resend(email)}
          >
            {texts.resend}
          </button>
        ),
    },
  ];
}
