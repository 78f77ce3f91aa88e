import { useMemo, useState } from 'preact/hooks';
import type { ManagedWebhook, ManagedWebhookWithSecret } from '../../../../contract/manage/webhooks.js';
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
import { AddWebhook } from './add.js';
import { nameReceiver, wordEvent } from './events.js';
import { WebhookSecret } from './secret.js';
import { type WebhooksTexts, webhooksTexts } from './texts.js';

/** Every webhook of the page, newest first. */
export function WebhookList() {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  const { query, choose, path, to } = useAddress();
  const list = useList<ManagedWebhook>(pagePath(slug, '/webhooks'), keptPart);
  const [created, setCreated] = useState<ManagedWebhookWithSecret>();
  const columns = useMemo(
    () => columnsOf(texts, format, (webhook) => to(path, { webhook })),
    [texts, format, path],
  );
  const add = (
    <PermittedButton
      permission="notifications.write"
      class="button small"
      onClick={() => choose({ new: 'webhook' })}
    >
      <Icon name="plus" />
      {texts.add}
    </PermittedButton>
  );
  return (
    <Screen title={texts.webhooks} actions={add}>
      <ResourceList
        {...{ list, columns, isShort: true, title: texts.webhooks, note: texts.listWhy }}
        keyOf={({ id }) => id}
        sorting={{ key: 'added', isDescending: true }}
        empty={{ title: texts.none, why: texts.noneWhy, action: add }}
      />
      {query['new'] === 'webhook' && (
        <AddWebhook
          onClose={() => choose({ new: undefined })}
          onCreated={(webhook) => {
            choose({ new: undefined });
            setCreated(webhook);
            list.read.retry();
          }}
        />
      )}
      {created !== undefined && (
        <WebhookSecret
          title={texts.createdTitle}
          secret={created.secret}
          onClose={() => {
            setCreated(undefined);
            choose({ webhook: created.id });
          }}
        />
      )}
    </Screen>
  );
}

function columnsOf(
  texts: WebhooksTexts,
  format: Format,
  hrefOf: (id: string) => string,
): Column<ManagedWebhook>[] {
  return [
    {
      key: 'receiver',
      title: texts.receiver,
      class: 'address-cell',
      value: ({ url }) => url,
      cell: ({ id, url }) => (
        <a class="row-link" href={hrefOf(id)} title={url}>
          {nameReceiver(url)}
          <span class="note"> {URL.parse(url)?.pathname}</span>
        </a>
      ),
    },
    {
      key: 'events',
      title: texts.events,
      isMinor: true,
      class: 'reason-cell',
      value: ({ events }) => wordEvents(events, texts, format),
      cell: ({ events }) => (
        <span title={events?.map((name) => wordEvent(name, texts)).join(', ') ?? ''}>
          {wordEvents(events, texts, format)}
        </span>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      value: ({ enabled }) => (enabled ? texts.on : texts.paused),
      cell: ({ enabled, disabledReason }) => (
        <span title={disabledReason ?? ''}>
          <Badge tone={enabled ? 'good' : 'warn'}>{enabled ? texts.on : texts.paused}</Badge>
        </span>
      ),
    },
    timeColumn({
      key: 'added',
      title: texts.added,
      timeOf: ({ createdAt }) => createdAt,
      say: format.moment,
    }),
  ];
}

/** The events of a webhook in a few words. */
export function wordEvents(events: readonly string[] | null, texts: WebhooksTexts, format: Format): string {
  if (events === null) return texts.everyEvent;
  const [only] = events;
  if (only !== undefined && events.length <= 2)
    return events.map((name) => wordEvent(name, texts)).join(', ');
  return texts.eventsOf({ count: events.length, shown: format.count(events.length) });
}
