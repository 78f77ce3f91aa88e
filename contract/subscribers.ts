import Type, { type Static } from 'typebox';

/** Bounds of signing up for email, which everyone may do for any address. */
export const subscriberLimits = {
  bodyBytes: 4 * 1024,
  /** Of one client address; of IPv6 the network of 64 bits. Counted by each instance. */
  signUpsPerClientPerHour: 10,
  /** Of all clients together, counted by each instance. */
  signUpsPerPagePerHour: 1_000,
  /** How many of a page may wait for their confirmation; beyond, nobody can sign up until some are forgotten. */
  unconfirmedPerPage: 10_000,
  unconfirmedDays: 7,
  /** To one address in 24 hours. */
  confirmationsPerDay: 3,
  confirmationHours: 48,
} as const;

export const SignUp = Type.Object({
  email: Type.String({ maxLength: 254 }),
  language: Type.Optional(
    Type.String({
      maxLength: 35,
      description: "A language tag; the page's default language where the page does not publish it.",
    }),
  ),
});
export type SignUp = Static<typeof SignUp>;

/** The same whether or not the address is known. */
export const SignedUp = Type.Object({ accepted: Type.Literal(true) });

export const emailStates = ['pending', 'delivered', 'parked'] as const;
export type EmailState = (typeof emailStates)[number];
export type EmailKind = 'confirmation' | 'announcement';
export type SuppressionReason = 'unsubscribed' | 'bounced';

/**
 * Pages on the host of the status page that the links in emails lead to. Their parameter `token` is signed with
 * the name here as its purpose, so that one of them is not good for the other.
 */
export const linkPaths = {
  confirm: '/subscribers/confirm',
  unsubscribe: '/subscribers/unsubscribe',
} as const;
