import { useMemo } from 'preact/hooks';
import { channelNames } from '../../../../contract/channels.js';
import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import { useAddress } from '../../address/use-address.js';
import { type Format, useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Icon } from '../../kit/icons.js';
import { ResourceList } from '../../kit/resource-list.js';
import { type Column, timeColumn } from '../../kit/table/column.js';
import { pagePath } from '../../reads/api-path.js';
import { keptPart, useList } from '../../reads/use-list.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { AddChannel } from './add-channel.js';
import { type ChannelsTexts, channelsTexts } from './texts.js';

/** Every channel of the page, newest first. */
export function ChannelList() {
  const { slug } = usePage();
  const texts = useTexts(channelsTexts);
  const format = useFormat();
  const { query, choose, path, to } = useAddress();
  const list = useList<ManagedChannel>(pagePath(slug, '/channels'), keptPart);
  const columns = useMemo(
    () => columnsOf(texts, format, (channel) => to(path, { channel })),
    [texts, format, path],
  );
  const add = (
    <PermittedButton
      permission="notifications.write"
      class="button small"
      onClick={() => choose({ new: 'channel' })}
    >
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={texts.channels} actions={add}>
      <ResourceList
        {...{ list, columns, isShort: true, title: texts.channels, note: texts.listWhy }}
        keyOf={({ id }) => id}
        sorting={{ key: 'name', isDescending: false }}
        empty={{ title: texts.none, why: texts.noneWhy, action: add }}
      />
      {query['new'] === 'channel' && (
        <AddChannel
          onClose={() => choose({ new: undefined })}
          onCreated={({ id }) => choose({ new: undefined, channel: id })}
        />
      )}
    </Screen>
  );
}

function columnsOf(
  texts: ChannelsTexts,
  format: Format,
  hrefOf: (id: string) => string,
): Column<ManagedChannel>[] {
  return [
    {
      key: 'name',
      title: texts.name,
      class: 'address-cell',
      value: ({ name }) => name,
      cell: ({ id, name, host }) => (
        <a class="row-link" href={hrefOf(id)}>
          <span dir="auto">{name}</span>
          <span class="note"> {host}</span>
        </a>
      ),
    },
    {
      key: 'kind',
      title: texts.kind,
      value: ({ kind }) => channelNames[kind],
      cell: ({ kind }) => channelNames[kind],
    },
    {
      key: 'topics',
      title: texts.topics,
      isMinor: true,
      class: 'reason-cell',
      value: (channel) => wordTopics(channel, texts),
      cell: (channel) => wordTopics(channel, texts),
    },
    {
      key: 'state',
      title: texts.state,
      value: (channel) => stateOf(channel, texts).title,
      cell: (channel) => {
        const { title, tone } = stateOf(channel, texts);
        return (
          <span title={channel.last?.reason ?? ''}>
            <Badge tone={tone}>{title}</Badge>
          </span>
        );
      },
    },
    timeColumn({
      ...{ key: 'last', title: texts.lastMessage, say: format.moment, none: texts.noneYet },
      timeOf: ({ last }) => last?.at ?? null,
    }),
  ];
}

/** Returns the topics of a channel in a few words. */
export function wordTopics({ topics }: ManagedChannel, texts: ChannelsTexts): string {
  if (topics === null) return texts.everyTopic;
  return topics.map((topic) => wordTopic(topic, texts)).join(', ');
}

/** A topic in words; its name for one that this version does not know. */
function wordTopic(topic: string, { topicNames }: ChannelsTexts): string {
  const known: Readonly<Record<string, string>> = topicNames;
  return known[topic] ?? topic;
}

/** Whether a channel works, as far as its last message says. */
export function stateOf(
  { enabled, last }: ManagedChannel,
  texts: ChannelsTexts,
): { title: string; tone: 'good' | 'bad' | 'warn' } {
  if (!enabled) return { title: texts.off, tone: 'warn' };
  return last?.state === 'parked' ? { title: texts.failing, tone: 'bad' } : { title: texts.on, tone: 'good' };
}
