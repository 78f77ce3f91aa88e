import { useMemo, useState } from 'preact/hooks';
import { channelNames } from '../../../../contract/channels.js';
import type { ManagedChannel } from '../../../../contract/manage/channels.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Badge } from '../../kit/badge.js';
import { Confirm } from '../../kit/form/confirm.js';
import { SendError } from '../../kit/form/form.js';
import { showNotice } from '../../kit/notice.js';
import { Panel } from '../../kit/panel.js';
import { ErrorNotice, Skeleton } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { sendForTag, sendJson } from '../../reads/fetch-json.js';
import { unlessGone } from '../../reads/refusals.js';
import { fromNewest } from '../../reads/use-list.js';
import { type Read, useRead } from '../../reads/use-read.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { PermittedButton } from '../../shell/permitted.js';
import { Screen } from '../../shell/screen.js';
import { useTexts } from '../../texts.js';
import { stateOf, wordTopics } from './channel-list.js';
import { EditChannel } from './edit-channel.js';
import { Messages } from './messages.js';
import { channelsTexts } from './texts.js';

/** A test shows its outcome soon. */
const pollMs = 3_000;

/** One channel: where it leads, what can be done with it, and its messages. */
export function OneChannel({ id }: { id: string }) {
  const { slug } = usePage();
  const texts = useTexts(channelsTexts);
  const { path, to } = useAddress();
  const read = useRead<ManagedChannel>(pagePath(slug, `/channels/${encodeURIComponent(id)}`), {
    everyMs: pollMs,
  });
  const crumbs = useMemo(() => [{ title: texts.channels, href: to(path) }], [texts, path]);
  const channel = read.data;
  return (
    <Screen title={channel?.name ?? texts.channels} crumbs={crumbs}>
      {channel === undefined ? (
        read.error === undefined ? (
          <Skeleton height={120} />
        ) : (
          <ErrorNotice error={read.error} retry={read.retry} />
        )
      ) : (
        <>
          <Settings channel={channel} read={read} />
          <Messages channel={channel} />
        </>
      )}
    </Screen>
  );
}

type SettingsProps = { channel: ManagedChannel; read: Read<ManagedChannel> };

function Settings({ channel, read }: SettingsProps) {
  const texts = useTexts(channelsTexts);
  const { query, choose } = useAddress();
  const [isAsked, setAsked] = useState(false);
  return (
    <Panel
      title={texts.thisChannel}
      actions={<Actions channel={channel} read={read} onRemove={() => setAsked(true)} />}
    >
      <Facts channel={channel} />
      {query['edit'] === 'channel' && (
        <EditChannel channel={channel} read={read} onClose={() => choose({ edit: undefined })} />
      )}
      {isAsked && <RemoveChannel channel={channel} onClose={() => setAsked(false)} />}
    </Panel>
  );
}

function Facts({ channel }: { channel: ManagedChannel }) {
  const texts = useTexts(channelsTexts);
  const format = useFormat();
  const { kind, host, settings, quietHours, createdAt, last } = channel;
  const state = stateOf(channel, texts);
  return (
    <dl class="webhook-facts">
      <dt>{texts.state}</dt>
      <dd>
        <Badge tone={state.tone}>{state.title}</Badge>
        {last?.reason != null && <span class="note"> {last.reason}</span>}
      </dd>
      <dt>{texts.kind}</dt>
      <dd>{channelNames[kind]}</dd>
      <dt>{texts.leadsTo}</dt>
      <dd>
        <code>{[host, settings.chat].filter((part) => part !== undefined).join(' · ')}</code>
      </dd>
      <dt>{texts.topics}</dt>
      <dd>{wordTopics(channel, texts)}</dd>
      <dt>{texts.quietHours}</dt>
      <dd>
        {quietHours === null ? texts.noHours : texts.hours({ from: quietHours.from, to: quietHours.to })}
      </dd>
      <dt>{texts.added}</dt>
      <dd>{format.moment(Date.parse(createdAt))}</dd>
    </dl>
  );
}

function Actions({ channel, read, onRemove }: SettingsProps & { onRemove(): void }) {
  const { slug } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(channelsTexts);
  const path = pagePath(slug, `/channels/${channel.id}`);
  const test = useSend(async () => {
    await sendJson('POST', `${path}/test`);
    showNotice(texts.testSent);
  });
  const turn = useSend(async (enabled: boolean) => {
    read.take(await sendForTag<ManagedChannel>('PATCH', path, { enabled }));
    showNotice(enabled ? texts.turnedOn : texts.turnedOff, () => turn.run(!enabled));
  });
  const error = test.error ?? turn.error;
  const common = { permission: 'notifications.write', class: 'button small' } as const;
  return (
    <>
      {error !== undefined && <SendError error={error} />}
      {channel.enabled && (
        <PermittedButton {...common} isBusy={test.isSending} onClick={test.run}>
          {texts.sendTest}
        </PermittedButton>
      )}
      <PermittedButton {...common} isBusy={turn.isSending} onClick={() => turn.run(!channel.enabled)}>
        {channel.enabled ? texts.turnOff : texts.turnOn}
      </PermittedButton>
      <PermittedButton {...common} onClick={() => choose({ edit: 'channel' })}>
        {texts.edit}
      </PermittedButton>
      <PermittedButton {...common} onClick={onRemove}>
        {texts.remove}
      </PermittedButton>
    </>
  );
}

function RemoveChannel({ channel, onClose }: { channel: ManagedChannel; onClose(): void }) {
  const { slug } = usePage();
  const texts = useTexts(channelsTexts);
  const { choose } = useAddress();
  const confirm = async (): Promise<void> => {
    await sendJson('DELETE', pagePath(slug, `/channels/${channel.id}`)).catch(unlessGone);
    showNotice(texts.removed);
    choose({ channel: undefined, ...fromNewest });
  };
  return (
    <Confirm title={texts.removeTitle} action={texts.remove} isDanger onConfirm={confirm} onClose={onClose}>
      <p>{texts.removeWhy({ name: channel.name })}</p>
    </Confirm>
  );
}
