import { useMemo } from 'preact/hooks';
import type { ManagedChannel, ManagedMessage } from '../../../../contract/manage/channels.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Paging } from '../../kit/paging.js';
import { Panel } from '../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../kit/states.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { pagePath } from '../../reads/api-path.js';
import { usePart } from '../../reads/use-part.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { type ChannelsTexts, channelsTexts } from './texts.js';

/** A test shows its outcome soon. */
const pollMs = 3_000;
const tones = { pending: 'none', delivered: 'good', parked: 'bad' } as const;

/** The messages of a channel, newest first. */
export function Messages({ channel }: { channel: ManagedChannel }) {
  const { slug } = usePage();
  const texts = useTexts(channelsTexts);
  const format = useFormat();
  const place = pagePath(slug, `/channels/${channel.id}/messages`);
  const list = usePart<ManagedMessage>(place, {}, { everyMs: pollMs });
  const columns = useMemo(() => columnsOf(texts, format), [texts, format]);
  return (
    <Panel
      title={texts.messages}
      note={texts.messagesWhy}
      actions={<Paging onNewest={list.onNewest} onOlder={list.onOlder} />}
      flush
    >
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={5} />}
        isEmpty={({ items }) => items.length === 0}
        empty={
          <Empty title={texts.noMessages}>
            <p>{texts.noMessagesWhy}</p>
          </Empty>
        }
      >
        {({ items }) => (
          <DataTable
            isShort
            name={texts.messages}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'when', isDescending: true }}
          />
        )}
      </ReadView>
    </Panel>
  );
}

function columnsOf(texts: ChannelsTexts, format: Format): Column<ManagedMessage>[] {
  return [
    {
      key: 'title',
      title: texts.message,
      value: ({ title }) => title,
      cell: ({ title, text }) => (
        <span dir="auto" title={text}>
          {title}
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      value: ({ state }) => texts.states[state],
      cell: ({ state }) => <Badge tone={tones[state]}>{texts.states[state]}</Badge>,
    },
    {
      key: 'outcome',
      title: texts.outcome,
      isMinor: true,
      class: 'reason-cell',
      value: (message) => outcomeOf(message, texts, format),
      cell: (message) => outcomeOf(message, texts, format),
    },
    {
      key: 'when',
      title: texts.when,
      isFigure: true,
      value: ({ createdAt }) => Date.parse(createdAt),
      cell: ({ createdAt }) => format.moment(Date.parse(createdAt)),
    },
  ];
}

/** What came of a message, and when it is tried next. */
function outcomeOf(
  { state, status, reason, attempts, nextAttemptAt }: ManagedMessage,
  texts: ChannelsTexts,
  format: Format,
): string {
  if (state === 'delivered') return status === null ? '' : `HTTP ${status}`;
  const next = nextAttemptAt === null ? '' : texts.next(format.moment(Date.parse(nextAttemptAt)));
  if (attempts === 0) return next;
  return [reason ?? '', next].filter((part) => part !== '').join(' ');
}
