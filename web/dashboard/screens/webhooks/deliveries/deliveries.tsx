import { useMemo, useState } from 'preact/hooks';
import type { ManagedDelivery, ManagedWebhook } from '../../../../../contract/manage/webhooks.js';
import type { DeliveryState } from '../../../../../contract/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Segments } from '../../../kit/form/choices.js';
import { ResourceList } from '../../../kit/resource-list.js';
import { useAnnounced } from '../../../reads/announce.js';
import { pagePath } from '../../../reads/api-path.js';
import { fromNewest, keptPart, useList } from '../../../reads/use-list.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { webhooksTexts } from '../texts.js';
import { columnsOf } from './columns.js';
import { ReplayFailed, useReplay } from './replay.js';

const states: readonly DeliveryState[] = ['pending', 'delivered', 'parked'];
/** A test shows its outcome soon. */
const pollMs = 3_000;

/** The deliveries of a webhook, newest first. */
export function Deliveries({ webhook }: { webhook: ManagedWebhook }) {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  const { query, choose, path, to } = useAddress();
  const state = states.find((one) => one === query['state']);
  const place = pagePath(slug, `/webhooks/${webhook.id}/deliveries`);
  const list = useList<ManagedDelivery>(place, { ...keptPart, filter: { state }, everyMs: pollMs });
  const [isAsked, setAsked] = useState(false);
  const replay = useReplay(place, list.read.retry);
  useAnnounced('deliveries', list.read.retry);
  const columns = useMemo(() => {
    const hrefOf = (delivery: string) => to(path, { webhook: webhook.id, delivery });
    return columnsOf({ texts, format, hrefOf, replay: webhook.enabled ? replay.run : undefined });
  }, [texts, format, path, webhook.enabled]);
  return (
    <ResourceList
      {...{ list, columns, isShort: true, title: texts.deliveries, note: texts.deliveriesWhy }}
      keyOf={({ id }) => id}
      sorting={{ key: 'when', isDescending: true }}
      lines={6}
      error={replay.error}
      actions={
        webhook.enabled && (
          <PermittedButton
            permission="notifications.write"
            class="button small"
            onClick={() => setAsked(true)}
          >
            {texts.replayFailed}
          </PermittedButton>
        )
      }
      tools={
        <Segments
          label={texts.state}
          value={state ?? ''}
          options={[
            { value: '', title: texts.all },
            ...states.map((value) => ({ value, title: texts.states[value] })),
          ]}
          onChoose={(value) => choose({ ...fromNewest, state: value })}
        />
      }
      empty={
        state === undefined
          ? { title: texts.noDeliveries, why: texts.noDeliveriesWhy }
          : {
              title: texts.noneFound,
              action: (
                <button
                  type="button"
                  class="button small"
                  onClick={() => choose({ ...fromNewest, state: undefined })}
                >
                  {texts.showAll}
                </button>
              ),
            }
      }
    >
      {isAsked && <ReplayFailed place={place} onClose={() => setAsked(false)} onReplayed={list.read.retry} />}
    </ResourceList>
  );
}
