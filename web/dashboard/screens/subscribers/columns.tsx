import type { ManagedSubscriber } from '../../../../contract/manage/subscribers.js';
import type { SubscriberState } from '../../../../contract/subscribers.js';
import type { Format } from '../../format.js';
import { Badge, type Tone } from '../../kit/badge.js';
import { actionColumn, type Column, timeColumn } from '../../kit/table/column.js';
import { type Asked, RowActions } from './row-actions.js';
import type { SubscribersTexts } from './texts.js';

const tones: Readonly<Record<SubscriberState, Tone>> = {
  confirmed: 'good',
  unconfirmed: 'warn',
  unsubscribed: 'none',
  bounced: 'bad',
};

type Options = {
  texts: SubscribersTexts;
  format: Format;
  nameOf(language: string): string;
  setAsked(asked: Asked): void;
  askAgain(subscriber: ManagedSubscriber): void;
};

/** Since when an address is in its state. */
function sinceOf({ suppressedAt, confirmedAt, createdAt }: ManagedSubscriber): string | null {
  return suppressedAt ?? confirmedAt ?? createdAt;
}

export function columnsOf({ texts, format, nameOf, ...actions }: Options): Column<ManagedSubscriber>[] {
  return [
    {
      key: 'email',
      title: texts.address,
      class: 'address-cell',
      value: ({ email }) => email,
      cell: ({ email }) => <span title={email}>{email}</span>,
    },
    {
      key: 'state',
      title: texts.stateTitle,
      value: ({ state }) => texts.state[state],
      cell: ({ state }) => (
        <span title={texts.stateWhy[state]}>
          <Badge tone={tones[state]}>{texts.state[state]}</Badge>
        </span>
      ),
    },
    {
      key: 'language',
      title: texts.language,
      isMinor: true,
      value: ({ language }) => (language === null ? null : nameOf(language)),
    },
    timeColumn({
      ...{ key: 'since', title: texts.since, timeOf: sinceOf },
      say: (at) => (
        <time dateTime={new Date(at).toISOString()} title={format.full(at)}>
          {format.moment(at)}
        </time>
      ),
    }),
    actionColumn(texts.actions, (subscriber) => <RowActions subscriber={subscriber} {...actions} />),
  ];
}
