import { useMemo } from 'preact/hooks';
import type { ManagedDeliveryDetail } from '../../../../../contract/manage/webhooks.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Command } from '../../../kit/command.js';
import { SendError } from '../../../kit/form/form.js';
import { Panel } from '../../../kit/panel.js';
import { ErrorNotice, Skeleton } from '../../../kit/states.js';
import { pagePath } from '../../../reads/api-path.js';
import { useRead } from '../../../reads/use-read.js';
import { usePage } from '../../../session.js';
import { PermittedButton } from '../../../shell/permitted.js';
import { Screen } from '../../../shell/screen.js';
import { incidentPath } from '../../../shell/screens.js';
import { useTexts } from '../../../texts.js';
import { nameReceiver, wordEvent } from '../events.js';
import { webhooksTexts } from '../texts.js';
import { answerOf, DeliveryBadge } from './columns.js';
import { PastAttempts } from './past-attempts.js';
import { useReplay } from './replay.js';

const pollMs = 5_000;

/** One delivery: what is sent, what was answered, and when it is tried again. */
export function OneDelivery({ webhookId, id }: { webhookId: string; id: string }) {
  const { slug } = usePage();
  const texts = useTexts(webhooksTexts);
  const { path, to } = useAddress();
  const place = pagePath(slug, `/webhooks/${encodeURIComponent(webhookId)}/deliveries`);
  const read = useRead<ManagedDeliveryDetail>(`${place}/${encodeURIComponent(id)}`, { everyMs: pollMs });
  const replay = useReplay(place, read.retry);
  const delivery = read.data;
  const crumbs = useMemo(
    () => [
      { title: texts.webhooks, href: to(path) },
      {
        title: delivery === undefined ? texts.deliveries : nameReceiver(delivery.request.url),
        href: to(path, { webhook: webhookId }),
      },
    ],
    [texts, path, webhookId, delivery?.request.url],
  );
  return (
    <Screen
      title={delivery === undefined ? texts.delivery : wordEvent(delivery.kind, texts)}
      crumbs={crumbs}
      actions={
        delivery !== undefined &&
        delivery.state !== 'pending' && (
          <PermittedButton
            permission="notifications.write"
            class="button small"
            isBusy={replay.isSending}
            onClick={() => replay.run(delivery)}
          >
            {texts.replay}
          </PermittedButton>
        )
      }
    >
      {replay.error !== undefined && <SendError error={replay.error} />}
      {delivery === undefined ? (
        read.error === undefined ? (
          <Skeleton height={200} />
        ) : (
          <ErrorNotice error={read.error} retry={read.retry} />
        )
      ) : (
        <>
          <Outcome delivery={delivery} slug={slug} />
          <Request delivery={delivery} />
          <PastAttempts attempts={delivery.pastAttempts} />
        </>
      )}
    </Screen>
  );
}

function Outcome({ delivery, slug }: { delivery: ManagedDeliveryDetail; slug: string }) {
  const texts = useTexts(webhooksTexts);
  const format = useFormat();
  const { id, state, reason, nextAttemptAt, attempts, incidentId, createdAt, lastAttempt } = delivery;
  return (
    <Panel title={texts.outcome}>
      <dl class="webhook-facts">
        <dt>{texts.state}</dt>
        <dd>
          <DeliveryBadge state={state} texts={texts} /> {reason !== null && <span>{reason}</span>}
          {nextAttemptAt !== null && (
            <span class="note">{texts.next({ time: format.full(Date.parse(nextAttemptAt)) })}</span>
          )}
        </dd>
        <dt>{texts.answer}</dt>
        <dd>
          {answerOf(delivery, texts)}
          {lastAttempt !== null && <span class="note"> {format.ms(lastAttempt.durationMs)}</span>}
        </dd>
        <dt>{texts.attempts}</dt>
        <dd>{format.count(attempts)}</dd>
        <dt>{texts.when}</dt>
        <dd>{format.full(Date.parse(createdAt))}</dd>
        <dt>{texts.id}</dt>
        <dd>
          <code>{id}</code>
          {incidentId !== null && (
            <>
              {' '}
              <a href={incidentPath(slug, incidentId)}>{texts.incident}</a>
            </>
          )}
        </dd>
      </dl>
    </Panel>
  );
}

function Request({ delivery: { request } }: { delivery: ManagedDeliveryDetail }) {
  const texts = useTexts(webhooksTexts);
  const { method, url, headers, body } = request;
  const head = [`${method} ${url}`, ...headers.map(({ name, value }) => `${name}: ${value}`)].join('\n');
  const shown = useMemo(() => (body === null ? undefined : indent(body)), [body]);
  return (
    <Panel title={texts.request} note={texts.requestWhy}>
      <div class="request-parts">
        <h3>{texts.headers}</h3>
        <Command>{head}</Command>
        <h3>{texts.body}</h3>
        {shown === undefined ? <p class="note">{texts.bodyGone}</p> : <Command>{shown}</Command>}
      </div>
    </Panel>
  );
}

/** JSON with a field in each line; another text as it is. */
function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
