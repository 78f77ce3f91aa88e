import { useState } from 'preact/hooks';
import type { ManagedWebhook, ManagedWebhookWithSecret } from '../../../../../contract/manage/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Badge } from '../../../kit/badge.js';
import { SendError } from '../../../kit/form/form.js';
import { showNotice } from '../../../kit/notice.js';
import { Panel } from '../../../kit/panel.js';
import { announce } from '../../../reads/announce.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendForTag, sendJson } from '../../../reads/fetch-json.js';
import type { Read } from '../../../reads/use-read.js';
import { useSend } from '../../../reads/use-send.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { wordEvent } from '../events.js';
import { WebhookSecret } from '../secret.js';
import { webhooksTexts } from '../texts.js';
import { AskedDialog } from './asked.js';
import { EditWebhook } from './edit.js';

type SettingsProps = { webhook: ManagedWebhook; read: Read<ManagedWebhook> };

/** The facts about a webhook, and its actions. */
export function WebhookSettings({ webhook, read }: SettingsProps) {
  const texts = useTexts(webhooksTexts);
  const { query, choose } = useAddress();
  const [asked, setAsked] = useState<'rotate' | 'remove'>();
  const [rotated, setRotated] = useState<ManagedWebhookWithSecret>();
  return (
    <Panel title={texts.settings} actions={<Actions webhook={webhook} read={read} onAsk={setAsked} />}>
      <Facts webhook={webhook} />
      {query['edit'] === 'webhook' && (
        <EditWebhook webhook={webhook} read={read} onClose={() => choose({ edit: undefined })} />
      )}
      {asked !== undefined && (
        <AskedDialog
          what={asked}
          webhook={webhook}
          onClose={() => setAsked(undefined)}
          onRotated={(changed) => {
            setAsked(undefined);
            setRotated(changed);
          }}
        />
      )}
      {rotated !== undefined && (
        <WebhookSecret
          title={texts.rotatedTitle}
          secret={rotated.secret}
          onClose={() => {
            setRotated(undefined);
            read.retry();
          }}
        />
      )}
    </Panel>
  );
}

function Facts({ webhook }: { webhook: ManagedWebhook }) {
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  const { url, events, enabled, createdAt, disabledAt, disabledReason, previousSecretUntil } = webhook;
  const at = (time: string): string => format.moment(Date.parse(time));
  return (
    <dl class="webhook-facts">
      <dt>{texts.state}</dt>
      <dd>
        <Badge tone={enabled ? 'good' : 'warn'}>{enabled ? texts.on : texts.paused}</Badge>{' '}
        {disabledAt !== null && (
          <span class="note">
            {texts.pausedSince({ time: at(disabledAt) })} {disabledReason} {texts.pausedWhy}
          </span>
        )}
      </dd>
      <dt>{texts.url}</dt>
      <dd>
        <code>{url}</code>
      </dd>
      <dt>{texts.events}</dt>
      <dd>{events === null ? texts.everyEvent : events.map((name) => wordEvent(name, texts)).join(', ')}</dd>
      <dt>{texts.added}</dt>
      <dd>
        {at(createdAt)}
        {previousSecretUntil !== null && (
          <span class="note"> {texts.overlap({ time: at(previousSecretUntil) })}</span>
        )}
      </dd>
    </dl>
  );
}

type ActionsProps = SettingsProps & { onAsk(what: 'rotate' | 'remove'): void };

function Actions({ webhook, read, onAsk }: ActionsProps) {
  const { slug } = usePage();
  const { choose } = useAddress();
  const texts = useTexts(webhooksTexts);
  const path = pagePath(slug, `/webhooks/${webhook.id}`);
  const test = useSend(async () => {
    await sendJson('POST', `${path}/test`);
    showNotice(texts.testSent);
    announce('deliveries');
  });
  const pause = useSend(async (enabled: boolean) => {
    read.take(await sendForTag<ManagedWebhook>('PATCH', path, { enabled }));
    showNotice(enabled ? texts.resumed : texts.pauseOf, () => pause.run(!enabled));
  });
  const error = test.error ?? pause.error;
  const permission = 'notifications.write';
  const common = { permission, class: 'button small' } as const;
  return (
    <>
      {error !== undefined && <SendError error={error} />}
      {webhook.enabled && (
        <PermittedButton {...common} isBusy={test.isSending} onClick={test.run}>
          {texts.sendTest}
        </PermittedButton>
      )}
      <PermittedButton {...common} isBusy={pause.isSending} onClick={() => pause.run(!webhook.enabled)}>
        {webhook.enabled ? texts.pause : texts.resume}
      </PermittedButton>
      <PermittedButton {...common} onClick={() => choose({ edit: 'webhook' })}>
        {texts.edit}
      </PermittedButton>
      <PermittedButton {...common} onClick={() => onAsk('rotate')}>
        {texts.rotate}
      </PermittedButton>
      <PermittedButton {...common} onClick={() => onAsk('remove')}>
        {texts.remove}
      </PermittedButton>
    </>
  );
}
