import { useMemo } from 'preact/hooks';
import type { ManagedWebhook } from '../../../../../contract/manage/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { Screen } from '../../../shell/screen.js';
import { useTexts } from '../../../texts.js';
import { Deliveries } from '../deliveries/deliveries.js';
import { nameReceiver } from '../events.js';
import { webhooksTexts } from '../texts.js';
import { WebhookSettings } from './settings.js';

/** One webhook: what it receives, what can be done with it, and its deliveries. */
export function OneWebhook({ id }: { id: string }) {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const { path, to } = useAddress();
  const read = useRead<ManagedWebhook>(pagePath(slug, `/webhooks/${encodeURIComponent(id)}`));
  const crumbs = useMemo(() => [{ title: texts.webhooks, href: to(path) }], [texts, path]);
  const webhook = read.data;
  return (
    <Screen title={webhook === undefined ? texts.webhooks : nameReceiver(webhook.url)} crumbs={crumbs}>
      {webhook === undefined ? (
        read.error === undefined ? (
          <Skeleton height={120} />
        ) : (
          <ErrorNotice error={read.error} retry={read.retry} />
        )
      ) : (
        <>
          <WebhookSettings webhook={webhook} read={read} />
          <Deliveries webhook={webhook} />
        </>
      )}
    </Screen>
  );
}
