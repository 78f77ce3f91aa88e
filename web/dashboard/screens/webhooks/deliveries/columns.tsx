import type { ManagedDelivery } from '../../../../../contract/manage/webhooks.js';
import type { DeliveryState } from '../../../../../contract/webhooks.js';
import type { Format } from '../../../format.js';
import { Badge, type Tone } from '../../../kit/badge.js';
import { actionColumn, type Column, timeColumn } from '../../../kit/table/column.js';
import { wordEvent } from '../events.js';
import type { WebhooksTexts } from '../texts.js';

const tones: Readonly<Record<DeliveryState, Tone>> = { pending: 'info', delivered: 'good', parked: 'bad' };

export function DeliveryBadge({ state, texts }: { state: DeliveryState; texts: WebhooksTexts }) {
  return <Badge tone={tones[state]}>{texts.states[state]}</Badge>;
}

/** Returns the last answer of the receiver in a few words. */
export function answerOf(
  { lastAttempt }: Pick<ManagedDelivery, 'lastAttempt'>,
  texts: WebhooksTexts,
): string {
  if (lastAttempt === null) return texts.notTried;
  const { status, error } = lastAttempt;
  return status === null ? (error ?? texts.noAnswer) : String(status);
}

type Options = {
  texts: WebhooksTexts;
  format: Format;
  hrefOf(id: string): string;
  /** Absent while the webhook is paused. */
  replay: ((delivery: ManagedDelivery) => void) | undefined;
};

export function columnsOf({ texts, format, hrefOf, replay }: Options): Column<ManagedDelivery>[] {
  const at = (time: string): string => format.moment(Date.parse(time));
  return [
    {
      key: 'event',
      title: texts.event,
      class: 'address-cell',
      value: ({ kind }) => wordEvent(kind, texts),
      cell: ({ id, kind }) => (
        <a class="row-link" href={hrefOf(id)} title={kind}>
          {wordEvent(kind, texts)}
        </a>
      ),
    },
    {
      key: 'state',
      title: texts.state,
      value: ({ state }) => texts.states[state],
      cell: ({ state, nextAttemptAt }) => (
        <span title={nextAttemptAt === null ? '' : texts.next({ time: at(nextAttemptAt) })}>
          <DeliveryBadge state={state} texts={texts} />
        </span>
      ),
    },
    {
      key: 'answer',
      title: texts.answer,
      class: 'reason-cell',
      value: (delivery) => answerOf(delivery, texts),
      cell: (delivery) => <span title={delivery.lastAttempt?.error ?? ''}>{answerOf(delivery, texts)}</span>,
    },
    {
      key: 'duration',
      title: texts.duration,
      isFigure: true,
      isMinor: true,
      value: ({ lastAttempt }) => lastAttempt?.durationMs ?? null,
      cell: ({ lastAttempt }) => lastAttempt !== null && format.ms(lastAttempt.durationMs),
    },
    {
      key: 'attempts',
      title: texts.attempts,
      isFigure: true,
      isMinor: true,
      value: ({ attempts }) => attempts,
    },
    timeColumn({ key: 'when', title: texts.when, timeOf: ({ createdAt }) => createdAt, say: format.moment }),
    actionColumn(
      texts.actions,
      (delivery) =>
        delivery.state !== 'pending' &&
        replay !== undefined && (
          <button
            type="button"
            class="button small"
            aria-label={texts.replayOf({
              event: wordEvent(delivery.kind, texts),
              time: at(delivery.createdAt),
            })}
            onClick={() => replay(delivery)}
          >
            {texts.replay}
          </button>
        ),
    ),
  ];
}
