import { emailStates } from '../contract/subscribers.js';
import { loadPage } from '../control/pages/index.js';
import {
  addSubscriber,
  liftSuppression,
  listSubscriberEmails,
  listSubscribers,
  removeSubscriber,
  resendSubscriberEmail,
  type Subscriber,
  type SubscriberEmail,
} from '../control/subscribers/index.js';
import { parseId, type SubscriberId } from '../lib/ids.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable, isoTime } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { pageOption } from './page.js';

const emailOption = { value: 'ADDRESS', help: 'the address', required: true } as const;

export const subscriberCommands = [
  defineCommand({
    name: 'subscriber add',
    summary: 'add an email address to the subscribers of a page',
    help: 'Adds an address. Heartline asks it by email to confirm, unless --confirmed says that it has agreed already.',
    options: {
      page: pageOption,
      email: emailOption,
      language: { value: 'TAG', help: 'one of the languages of the page; its default language if not given' },
      confirmed: { help: 'the address has agreed: send it email at once' },
    },
    json: '{"id", "email", "language", "state", …}',
    async run(context, { page: slug, ...input }) {
      const control = await context.openControl();
      const page = await loadPage(control.sql, slug);
      const subscriber = await addSubscriber(control, { page, ...input });
      const outcome = subscriber.confirmedAt === null ? 'is asked to confirm email' : 'gets email';
      const text = `${subscriber.email} ${outcome} of ${slug}, in ${subscriber.language}.\n`;
      return { json: subscriberJson(subscriber), text };
    },
  }),

  defineCommand({
    name: 'subscriber list',
    summary: 'list the subscribers of a page',
    help: 'Lists subscribers in the order in which they were added. Only those in the state "confirmed" get email.',
    options: {
      page: pageOption,
      limit: { value: 'N', help: 'at most this many; 100 by default', default: '100', parse: wholeNumber },
      after: {
        value: 'ID',
        help: 'only subscribers after this one, to continue where the last list ended',
        parse: parseSubscriberId,
      },
    },
    json: '{"subscribers": [...]}',
    async run(context, { page: slug, ...input }) {
      const { pageId, ...control } = await context.openPage(slug);
      const subscribers = await listSubscribers(control, { pageId, ...input });
      const rows = subscribers.map((subscriber) => [
        ...[subscriber.id, subscriber.email, subscriber.language],
        ...[subscriberState(subscriber), subscriber.createdAt.toISOString()],
      ]);
      return {
        json: { subscribers: subscribers.map(subscriberJson) },
        text: formatTable(['ID', 'EMAIL', 'LANGUAGE', 'STATE', 'CREATED'], rows),
      };
    },
  }),

  defineCommand({
    name: 'subscriber remove',
    summary: 'delete a subscriber',
    help: 'Deletes a subscriber and the emails to it. Heartline remembers whether the address unsubscribed or bounced.',
    options: { page: pageOption, email: emailOption },
    json: '{"email"}',
    async run(context, { page: slug, email }) {
      const control = await context.openControl();
      const page = await loadPage(control.sql, slug);
      const removed = await removeSubscriber(control, { page, email });
      return { json: removed, text: `${removed.email} is no longer a subscriber of ${slug}.\n` };
    },
  }),

  defineCommand({
    name: 'subscriber unsuppress',
    summary: 'allow email again to an address that bounced or unsubscribed',
    help: 'Removes an address from the suppression list. It gets email if it is also a confirmed subscriber.',
    options: { page: pageOption, email: emailOption },
    json: '{"email", "reason"}',
    async run(context, { page: slug, email }) {
      const control = await context.openControl();
      const page = await loadPage(control.sql, slug);
      const lifted = await liftSuppression(control, { page, email });
      return { json: lifted, text: `${lifted.email} is no longer suppressed (${lifted.reason}).\n` };
    },
  }),

  defineCommand({
    name: 'subscriber emails',
    summary: 'list the emails of a page, with the reason of each failure',
    help: 'Lists emails, newest first.',
    options: {
      page: pageOption,
      state: {
        value: 'STATE',
        help: 'pending: due now or later; delivered: accepted by the mail server; parked: given up, see the reason',
        choices: emailStates,
      },
      limit: { value: 'N', help: 'at most this many; 50 by default', default: '50', parse: wholeNumber },
    },
    json: '{"emails": [...]}',
    async run(context, { page: slug, ...input }) {
      const { pageId, ...control } = await context.openPage(slug);
      const emails = await listSubscriberEmails(control, { pageId, ...input });
      const rows = emails.map(({ id, kind, email, state, attempts, createdAt, reason }) => [
        ...[id, kind, email, state, String(attempts)],
        ...[createdAt.toISOString(), reason ?? ''],
      ]);
      const headings = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'CREATED', 'REASON'];
      return { json: { emails: emails.map(emailJson) }, text: formatTable(headings, rows) };
    },
  }),

  defineCommand({
    name: 'subscriber resend',
    summary: 'send a parked email again',
    help: 'Makes a parked email due again. An email to a suppressed address is not sent.',
    arguments: { id: 'EMAIL_ID' },
    json: '{"id"}',
    async run(context, { id }) {
      const resent = await resendSubscriberEmail(await context.openControl(), { id });
      return { json: resent, text: `The email ${resent.id} is due now.\n` };
    },
  }),
];

function parseSubscriberId(text: string, option: string): SubscriberId {
  const id = parseId<SubscriberId>(text);
  if (id === undefined) throw new UsageError(`${option} must be the id of a subscriber, not "${text}".`);
  return id;
}

function subscriberJson(subscriber: Subscriber): object {
  const { id, email, language, createdAt, confirmedAt } = subscriber;
  return {
    ...{ id, email, language, state: subscriberState(subscriber) },
    ...{ createdAt: createdAt.toISOString(), confirmedAt: isoTime(confirmedAt) },
  };
}

/** Whether the address gets email, and if not, why: confirmed, unconfirmed, unsubscribed or bounced. */
function subscriberState({ confirmedAt, suppressed }: Subscriber): string {
  return suppressed ?? (confirmedAt === null ? 'unconfirmed' : 'confirmed');
}

function emailJson(email: SubscriberEmail): object {
  const { id, kind, state, attempts, reason } = email;
  return {
    ...{ id, kind, email: email.email, state, attempts },
    createdAt: email.createdAt.toISOString(),
    nextAttemptAt: isoTime(email.nextAttemptAt),
    finishedAt: isoTime(email.finishedAt),
    reason,
  };
}
