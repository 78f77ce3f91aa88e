import { useMemo, useState } from 'preact/hooks';
import { channelNames } from '../../../../contract/channels.js';
import type { ManagedChat } from '../../../../contract/manage/subscribers.js';
import { type Format, useFormat } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { Confirm } from '../../kit/form/confirm.js';
import { showNotice } from '../../kit/notice.js';
import { ResourceList } from '../../kit/resource-list.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import { keptPart, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { type ChatTexts, chatTexts } from './chat-texts.js';

/** The chats that readers have subscribed. Only their readers know the URLs. */
export function ChatList() {
  const { slug } = usePage();
  const texts = useTexts(chatTexts);
  const format = useFormat();
  const list = useList<ManagedChat>(pagePath(slug, '/chat-subscribers'), keptPart);
  const [asked, setAsked] = useState<ManagedChat>();
  const columns = useMemo(() => columnsOf(texts, format, setAsked), [texts, format]);
  return (
    <ResourceList
      {...{ list, columns, isShort: true, title: texts.chats, note: texts.why }}
      keyOf={({ id }) => id}
      sorting={{ key: 'added', isDescending: true }}
      empty={{ title: texts.none, why: texts.noneWhy }}
    >
      {asked !== undefined && (
        <RemoveChat chat={asked} onClose={() => setAsked(undefined)} onRemoved={list.read.retry} />
      )}
    </ResourceList>
  );
}

type RemoveProps = { chat: ManagedChat; onClose(): void; onRemoved(): void };

function RemoveChat({ chat, onClose, onRemoved }: RemoveProps) {
  const { slug } = usePage();
  const texts = useTexts(chatTexts);
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/chat-subscribers/${chat.id}`)).catch(unlessGone);
    showNotice(texts.removed);
    onRemoved();
  };
  return (
    <Confirm title={texts.removeTitle} action={texts.remove} isDanger onConfirm={confirm} onClose={onClose}>
      <p>{texts.removeWhy}</p>
    </Confirm>
  );
}

function columnsOf(
  texts: ChatTexts,
  format: Format,
  onRemove: (chat: ManagedChat) => void,
): Column<ManagedChat>[] {
  return [
    {
      key: 'chat',
      title: texts.chat,
      class: 'address-cell',
      value: ({ kind }) => channelNames[kind],
      cell: ({ kind, host }) => (
        <>
          {channelNames[kind]}
          <span class="note"> {host}</span>
        </>
      ),
    },
    {
      key: 'language',
      title: texts.language,
      isMinor: true,
      value: ({ language }) => language,
      cell: ({ language }) => language,
    },
    {
      key: 'state',
      title: texts.state,
      value: (chat) => texts.states[stateOf(chat)],
      cell: (chat) => <Badge tone={tones[stateOf(chat)]}>{texts.states[stateOf(chat)]}</Badge>,
    },
    timeColumn({
      key: 'added',
      title: texts.added,
      timeOf: ({ createdAt }) => createdAt,
      say: format.moment,
    }),
    {
      key: 'actions',
      title: texts.actions,
      value: () => null,
      cell: (chat) => (
        <button type="button" class="link-button" onClick={() => onRemove(chat)}>
          {texts.remove}
          <span class="visually-hidden">: {`${channelNames[chat.kind]}, ${chat.host}`}</span>
        </button>
      ),
    },
  ];
}

type ChatState = keyof ChatTexts['states'];
const tones: Readonly<Record<ChatState, Tone>> = { confirmed: 'good', unconfirmed: 'warn', gone: 'bad' };

function stateOf({ confirmedAt, goneAt }: ManagedChat): ChatState {
  if (goneAt !== null) return 'gone';
  return confirmedAt === null ? 'unconfirmed' : 'confirmed';
}
