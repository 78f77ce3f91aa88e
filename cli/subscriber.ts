import type { Static } from 'typebox';
import { LiftedSuppression, ManagedEmail, ManagedSubscriber } from '../contract/manage/subscribers.js';
import { emailStates } from '../contract/subscribers.js';
import { parseEmailAddress } from '../lib/email-address.js';
import { parseId, type SubscriberId } from '../lib/ids.js';
import { ServiceError } from '../lib/service-error.js';
import { type Client, Nothing } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';
import { pageOfIdOption, pageOption } from './page.js';

const emailOption = { value: 'ADDRESS', help: 'the address', required: true } as const;

export const subscriberCommands = [
  defineCommand({
    runsRemotely: true,
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
    async run({ client }, { page: slug, ...body }) {
      const path = `${await client.pathOf(slug)}/subscribers`;
      const subscriber = toShown(await client.send('POST', path, { answer: ManagedSubscriber, body }));
      const outcome = subscriber.confirmedAt === null ? 'is asked to confirm email' : 'gets email';
      const text = `${subscriber.email} ${outcome} of ${slug}, in ${subscriber.language}.\n`;
      return { json: subscriber, text };
    },
  }),

  defineCommand({
    runsRemotely: true,
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
    async run({ client }, { page: slug, limit, after }) {
      const all = await client.list(`${await client.pathOf(slug)}/subscribers`, ManagedSubscriber);
      const later = all.reverse().filter(({ id }) => after === undefined || id > after);
      const subscribers = later.slice(0, limit).map(toShown);
      const rows = subscribers.map(({ id, email, language, state, createdAt }) => [
        ...[id, email, language ?? '', state, createdAt ?? ''],
      ]);
      return {
        json: { subscribers },
        text: formatTable(['ID', 'EMAIL', 'LANGUAGE', 'STATE', 'CREATED'], rows),
      };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'subscriber remove',
    summary: 'delete a subscriber',
    help: 'Deletes a subscriber and the emails to it. Heartline remembers whether the address unsubscribed or bounced.',
    options: { page: pageOption, email: emailOption },
    json: '{"email"}',
    async run({ client }, { page: slug, email: given }) {
      const { email, path } = await findAddress(client, slug, given);
      await client.send('DELETE', path, { answer: Nothing });
      return { json: { email }, text: `${email} is no longer a subscriber of ${slug}.\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'subscriber unsuppress',
    summary: 'allow email again to an address that bounced or unsubscribed',
    help: 'Removes an address from the suppression list. It gets email if it is also a confirmed subscriber.',
    options: { page: pageOption, email: emailOption },
    json: '{"email", "reason"}',
    async run({ client }, { page: slug, email }) {
      const { path } = await findAddress(client, slug, email, { isSuppressed: true });
      const lifted = await client.send('POST', `${path}/unsuppress`, { answer: LiftedSuppression });
      return { json: lifted, text: `${lifted.email} is no longer suppressed (${lifted.reason}).\n` };
    },
  }),

  defineCommand({
    runsRemotely: true,
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
    async run({ client }, { page: slug, state, limit }) {
      const filter = state === undefined ? '' : `?state=${state}`;
      const emails = await client.list(`${await client.pathOf(slug)}/emails${filter}`, ManagedEmail, limit);
      const rows = emails.map(({ id, kind, email, state, attempts, createdAt, reason }) => [
        ...[id, kind, email, state, String(attempts)],
        ...[createdAt, reason ?? ''],
      ]);
      const headings = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'CREATED', 'REASON'];
      return { json: { emails }, text: formatTable(headings, rows) };
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'subscriber resend',
    summary: 'send a parked email again',
    help: 'Makes a parked email due again. An email to a suppressed address is not sent.',
    arguments: { id: 'EMAIL_ID' },
    options: { page: pageOfIdOption },
    json: '{"id"}',
    async run({ client }, ref) {
      const path = `${await client.pathTo('email', ref)}/resend`;
      const { id } = await client.send('POST', path, { answer: ManagedEmail });
      return { json: { id }, text: `The email ${id} is due now.\n` };
    },
  }),
];

/** Finds an address of the page: the routes know it by its id. */
async function findAddress(
  client: Client,
  slug: string,
  given: string,
  { isSuppressed = false }: { isSuppressed?: boolean } = {},
): Promise<{ email: string; path: string }> {
  const path = `${await client.pathOf(slug)}/subscribers`;
  const email = parseEmailAddress(given);
  if (email === undefined) throw new UsageError(`"${given.slice(0, 60)}" is not an email address.`);
  const filter = `?q=${encodeURIComponent(email)}${isSuppressed ? '&state=suppressed' : ''}`;
  const found = (await client.list(path + filter, ManagedSubscriber)).find((one) => one.email === email);
  if (found !== undefined) return { email, path: `${path}/${found.id}` };
  const problem = isSuppressed ? 'is not suppressed on' : 'is not a subscriber of';
  throw new ServiceError('notFound', { message: `${email} ${problem} ${slug}.` });
}

type Address = Pick<
  Static<typeof ManagedSubscriber>,
  'id' | 'email' | 'language' | 'state' | 'createdAt' | 'confirmedAt'
>;

function toShown({ id, email, language, state, createdAt, confirmedAt }: Address): Address {
  return { id, email, language, state, createdAt, confirmedAt };
}

function parseSubscriberId(text: string, option: string): SubscriberId {
  const id = parseId<SubscriberId>(text);
  if (id === undefined) throw new UsageError(`${option} must be the id of a subscriber, not "${text}".`);
  return id;
}
