import type { ManagedWebhook, ManagedWebhookWithSecret } from '../../../../../contract/manage/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { Confirm } from '../../../kit/form/confirm.js';
import { showNotice } from '../../../kit/notice.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendJson } from '../../../reads/fetch-json.js';
import { unlessGone } from '../../../reads/refusals.js';
import { fromNewest } from '../../../reads/use-list.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { nameReceiver } from '../events.js';
import { webhooksTexts } from '../texts.js';

type AskedProps = {
  what: 'rotate' | 'remove';
  webhook: ManagedWebhook;
  onClose(): void;
  onRotated(webhook: ManagedWebhookWithSecret): void;
};

/** Asks before a new secret, and before the webhook is deleted. */
export function AskedDialog({ what, webhook, onClose, onRotated }: AskedProps) {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const { choose } = useAddress();
  const path = pagePath(slug, `/webhooks/${webhook.id}`);
  const isRemoval = what === 'remove';
  const confirm = async (): Promise<void> => {
    if (!isRemoval) return onRotated(await sendJson<ManagedWebhookWithSecret>('POST', `${path}/rotate`));
    await sendJson('DELETE', path).catch(unlessGone);
    showNotice(texts.removed);
    choose({ webhook: undefined, state: undefined, ...fromNewest });
  };
  return (
    <Confirm
      title={isRemoval ? texts.removeTitle : texts.rotateTitle}
      action={isRemoval ? texts.remove : texts.rotate}
      isDanger={isRemoval}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{isRemoval ? texts.removeWhy({ receiver: nameReceiver(webhook.url) }) : texts.rotateWhy}</p>
    </Confirm>
  );
}
