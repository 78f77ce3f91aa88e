import Type, { type Static } from 'typebox';
import { readerKinds } from '../channels.js';
import { importRefusals } from '../subscriber-import.js';
import { emailKinds, emailStates, subscriberStates, suppressionReasons } from '../subscribers.js';
import { closed, Id, nullable, Time } from './shared.js';

/** Addresses of one answer in CSV. */
export const csvAddressesMax = 50_000;

/** The longest address, and so the longest part of one. */
export const addressCharsMax = 254;

const Language = Type.String({ description: 'Language tag (BCP 47) of the emails.' });

/** An address of a page. */
export const ManagedSubscriber = closed({
  id: Id,
  email: Type.String(),
  language: nullable(Language),
  state: Type.Enum([...subscriberStates], {
    description: 'Only confirmed addresses get email; unsubscribed and bounced ones are suppressed.',
  }),
  createdAt: nullable(Time),
  confirmedAt: nullable(Time),
  suppressedAt: nullable(Time),
});

/** A reader who subscribes with a chat. */
export const ManagedChat = closed({
  id: Id,
  kind: Type.Enum([...readerKinds]),
  host: Type.String({ description: 'The host of its incoming webhook.' }),
  language: Language,
  createdAt: Time,
  confirmedAt: nullable(Time),
  goneAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when its webhook is gone; nothing is sent to it.',
    }),
  ),
});
export type ManagedChat = Static<typeof ManagedChat>;

export const AddManagedSubscriber = closed({
  email: Type.String({ minLength: 3, maxLength: addressCharsMax }),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description:
        'One of the languages of the page. When absent, that of the subscriber with this address, or the default language of the page.',
    }),
  ),
  confirmed: Type.Optional(
    Type.Boolean({
      description:
        'The address has agreed, and gets email at once. False when absent: an email asks it to confirm.',
    }),
  ),
});

export const LiftedSuppression = closed({
  email: Type.String(),
  reason: Type.Enum([...suppressionReasons], { description: 'Why the address got no email.' }),
});

export const QueuedConfirmation = closed({ emailId: Id });

/** An email of a page, without its text. */
export const ManagedEmail = closed({
  id: Id,
  kind: Type.Enum([...emailKinds], { description: 'A notice goes to an owner of the page.' }),
  email: Type.String({ description: 'The recipient.' }),
  state: Type.Enum([...emailStates], { description: 'A parked email is not tried again by itself.' }),
  attempts: Type.Integer(),
  createdAt: Time,
  nextAttemptAt: nullable(Time),
  finishedAt: nullable(Time),
  reason: nullable(Type.String({ description: 'Why the last attempt failed, or why there was none.' })),
});

/** The outcome of an import. Every row is in one of the four. */
export const ImportedSubscribers = closed({
  added: Type.Integer({ description: 'Addresses that were no subscribers before.' }),
  changed: Type.Integer({ description: 'Subscribers that are now confirmed, or get another language.' }),
  unchanged: Type.Integer({ description: 'Subscribers that were as the file says, or more.' }),
  refused: Type.Array(
    closed({
      line: Type.Integer({ description: 'Line of the file, from 1, with the header.' }),
      reason: Type.Enum([...importRefusals], {
        description:
          'consentMissing: `confirmed` is neither true nor false. repeated: an earlier line has the address. unsubscribed and bounced addresses stay suppressed.',
      }),
    }),
  ),
});
export type ImportedSubscribers = Static<typeof ImportedSubscribers>;

export type ManagedSubscriber = Static<typeof ManagedSubscriber>;
export type ManagedEmail = Static<typeof ManagedEmail>;
