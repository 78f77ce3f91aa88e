import { useMemo } from 'preact/hooks';
import type { ManagedChannel, ManagedMessage } from '../../../../contract/manage/channels.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { ResourceList } from '../../kit/resource-list.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { keptPart, useList } from '../../reads/use-list.js';
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
  const list = useList<ManagedMessage>(place, { ...keptPart, everyMs: pollMs });
  const columns = useMemo(() => columnsOf(texts, format), [texts, format]);
  return (
    <ResourceList
      {...{ list, columns, isShort: true, title: texts.messages, note: texts.messagesWhy }}
      keyOf={({ id }) => id}
      sorting={{ key: 'when', isDescending: true }}
      empty={{ title: texts.noMessages, why: texts.noMessagesWhy }}
    />
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
    timeColumn({
      key: 'when',
      title: texts.when,
      isMinor: false,
      timeOf: ({ createdAt }) => createdAt,
      say: format.moment,
    }),
  ];
}

/** Returns the outcome of a message, and the time of the next attempt. */
function outcomeOf(
  { state, status, reason, attempts, nextAttemptAt }: ManagedMessage,
  texts: ChannelsTexts,
  format: Format,
): string {
  if (state === 'delivered') return status === null ? '' : `HTTP ${status}`;
  const next = nextAttemptAt === null ? '' : texts.next({ time: format.moment(Date.parse(nextAttemptAt)) });
  if (attempts === 0) return next;
  return [reason ?? '', next].filter((part) => part !== '').join(' ');
}
