import { useMemo, useState } from 'preact/hooks';
import type { ManagedDelivery, ManagedWebhook } from '../../../../../contract/manage/webhooks.js';
import type { DeliveryState } from '../../../../../contract/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Segments } from '../../../kit/form/choices.js';
import { SendError } from '../../../kit/form/form.js';
import { Paging } from '../../../kit/paging.js';
import { Panel } from '../../../kit/panel.js';
import { Empty, ReadView, Skeleton } from '../../../kit/states.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { pagePath } from '../../../reads/api-path.js';
import { fromNewest, usePart } from '../../../reads/use-part.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { useTexts } from '../../../texts.js';
import { webhooksTexts } from '../texts.js';
import { columnsOf } from './columns.js';
import { useQueued } from './queued.js';
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
  const list = usePart<ManagedDelivery>(place, { state }, { everyMs: pollMs });
  const [isAsked, setAsked] = useState(false);
  const replay = useReplay(place, list.read.retry);
  useQueued(list.read.retry);
  const columns = useMemo(() => {
    const hrefOf = (delivery: string) => to(path, { webhook: webhook.id, delivery });
    return columnsOf({ texts, format, hrefOf, replay: webhook.enabled ? replay.run : undefined });
  }, [texts, format, path, webhook.enabled]);
  return (
    <Panel
      title={texts.deliveries}
      note={texts.deliveriesWhy}
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
      flush
    >
      <div class="table-tools list-tools">
        <Segments
          label={texts.state}
          value={state ?? ''}
          options={[
            { value: '', title: texts.all },
            ...states.map((value) => ({ value, title: texts.states[value] })),
          ]}
          onChoose={(value) => choose({ ...fromNewest, state: value })}
        />
        <Paging onNewest={list.onNewest} onOlder={list.onOlder} />
      </div>
      {replay.error !== undefined && <SendError error={replay.error} />}
      <ReadView
        read={list.read}
        skeleton={<Skeleton lines={6} />}
        isEmpty={({ items }) => items.length === 0}
        empty={<NoDelivery isFiltered={state !== undefined} />}
      >
        {({ items }) => (
          <DataTable
            isShort
            name={texts.deliveries}
            rows={items}
            columns={columns}
            keyOf={({ id }) => id}
            sorting={{ key: 'when', isDescending: true }}
          />
        )}
      </ReadView>
      {isAsked && <ReplayFailed place={place} onClose={() => setAsked(false)} onReplayed={list.read.retry} />}
    </Panel>
  );
}

function NoDelivery({ isFiltered }: { isFiltered: boolean }) {
  const texts = useTexts(webhooksTexts);
  const { choose } = useAddress();
  return (
    <Empty title={isFiltered ? texts.noneFound : texts.noDeliveries}>
      {isFiltered ? (
        <button
          type="button"
          class="button small"
          onClick={() => choose({ ...fromNewest, state: undefined })}
        >
          {texts.showAll}
        </button>
      ) : (
        <p>{texts.noDeliveriesWhy}</p>
      )}
    </Empty>
  );
}
