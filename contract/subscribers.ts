import Type, { type Static } from 'typebox';
import { readerKinds } from './channels.js';

/** Limits of the sign-up for email, which is open to everyone for any address. */
export const subscriberLimits = {
  bodyBytes: 4 * 1024,
  /** A form with every service of a page. */
  choiceBytes: 64 * 1024,
  /** Sign-ups of one IPv4 address or one IPv6 network of 64 bits, on all pages together. Each instance counts on its own. */
  signUpsPerClientPerHour: 10,
  /** Sign-ups of all clients together. Each instance counts on its own. */
  signUpsPerPagePerHour: 1_000,
  /** Addresses of a page that may be unconfirmed. Beyond, sign-ups are refused until some are forgotten. */
  unconfirmedPerPage: 10_000,
  unconfirmedDays: 7,
  /**
   * Confirmation emails from one page to one address in 24 hours. A bound over all pages would let a stranger use it up on
   * one page, and so keep an address from signing up on another.
   */
  confirmationsPerDay: 3,
  confirmationHours: 48,
} as const;

const Slugs = Type.Array(Type.String({ maxLength: 64 }), { maxItems: 200 });

export const SignUp = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 254 })),
    chat: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum([...readerKinds]),
          url: Type.String({ maxLength: 2_048, description: 'Incoming webhook of the chat.' }),
        },
        { description: 'In place of `email`: a message with a link to confirm is posted there.' },
      ),
    ),
    services: Type.Optional({
      ...Slugs,
      description:
        'Slugs of services. Limits messages to what affects one of these, a service of `groups`, or the whole page; no limit when both are absent.',
    }),
    groups: Type.Optional({ ...Slugs, description: 'Slugs of groups of services.' }),
    reminders: Type.Optional(
      Type.Boolean({ description: 'Whether to be reminded a day and an hour before maintenance.' }),
    ),
    language: Type.Optional(
      Type.String({
        maxLength: 35,
        description:
          'Language tag. The default language of the page takes its place when the page does not publish it.',
      }),
    ),
  },
  { $id: 'SignUp' },
);
export type SignUp = Static<typeof SignUp>;

/**
 * The form in which a subscriber chooses. `scope` is `all` or `some`; a field that is sent several times is a
 * list.
 */
export const ChoiceForm = Type.Object(
  {
    scope: Type.Optional(Type.Enum(['all', 'some'])),
    service: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    group: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    reminders: Type.Optional(Type.String()),
    language: Type.Optional(Type.String({ maxLength: 35 })),
  },
  { $id: 'ChoiceForm' },
);

/** The sign-up form of a page: an address, or the incoming webhook of a chat. */
export const SignUpForm = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 254 })),
    kind: Type.Optional(Type.Enum([...readerKinds])),
    url: Type.Optional(Type.String({ maxLength: 2_048 })),
    language: Type.Optional(Type.String({ maxLength: 35 })),
  },
  { $id: 'SignUpForm' },
);

/** The answer is the same whether or not the address is known. */
export const SignedUp = Type.Object({ accepted: Type.Literal(true) });

export const emailStates = ['pending', 'delivered', 'parked'] as const;
export type EmailState = (typeof emailStates)[number];
/** A notice goes to an owner of the page, the others to subscribers. */
export const emailKinds = ['confirmation', 'announcement', 'notice'] as const;
export type EmailKind = (typeof emailKinds)[number];

export const suppressionReasons = ['unsubscribed', 'bounced'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** Whether an address gets email, and if not, why. */
export const subscriberStates = ['confirmed', 'unconfirmed', ...suppressionReasons] as const;
export type SubscriberState = (typeof subscriberStates)[number];

/** Which part of the subscribers a list shows; `suppressed` are the unsubscribed and the bounced. */
export const subscriberFilters = ['confirmed', 'unconfirmed', 'suppressed'] as const;
export type SubscriberFilter = (typeof subscriberFilters)[number];

/**
 * Paths on the host of the page to which the links in emails lead. The parameter `token` is signed for one purpose, the
 * name of the path here, so that the token of one path is not valid for the other.
 */
export const linkPaths = {
  confirm: '/subscribers/confirm',
  unsubscribe: '/subscribers/unsubscribe',
  manage: '/subscribers/manage',
} as const;
