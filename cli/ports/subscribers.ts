import type { Static } from 'typebox';
import { LiftedSuppression, ManagedEmail, ManagedSubscriber } from '../../contract/manage/subscribers.js';
import type { EmailState } from '../../contract/subscribers.js';
import { loadPage } from '../../control/pages/index.js';
import {
  addSubscriber,
  liftSuppression,
  listSubscriberEmails,
  listSubscribers,
  removeSubscriber,
  resendSubscriberEmail,
  type Subscriber,
  type SubscriberEmail,
  subscriberState,
} from '../../control/subscribers/index.js';
import type { SubscriberId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { isoTime } from '../core/output.js';
import { Nothing, type Remote } from '../remote/remote.js';
import { localRef, type Ref } from './ref.js';

type Address = Pick<
  Static<typeof ManagedSubscriber>,
  'id' | 'email' | 'language' | 'state' | 'createdAt' | 'confirmedAt'
>;
type NewAddress = { email: string; language?: string; confirmed: boolean };

/** The subscribers of an installation, on its stores or over HTTP. */
export type Subscribers = {
  add(page: string, input: NewAddress): Promise<Address>;
  /** In the order in which they were added. */
  list(page: string, part: { limit: number; after?: SubscriberId }): Promise<Address[]>;
  remove(page: string, email: string): Promise<{ email: string }>;
  unsuppress(page: string, email: string): Promise<Static<typeof LiftedSuppression>>;
  /** Newest first. */
  emails(page: string, filter: { state?: EmailState; limit: number }): Promise<Static<typeof ManagedEmail>[]>;
  resend(ref: Ref): Promise<{ id: string }>;
};

export function subscribersOf(context: CommandContext): Subscribers {
  return context.remote === undefined ? localSubscribers(context) : remoteSubscribers(context.remote);
}

function localSubscribers(context: CommandContext): Subscribers {
  const open = async (slug: string) => {
    const control = await context.openControl();
    return { ...control, page: await loadPage(control.sql, slug) };
  };
  return {
    async add(slug, input) {
      const { page, ...deps } = await open(slug);
      return toAddress(await addSubscriber(deps, { page, ...input }));
    },
    async list(slug, part) {
      const { pageId, ...deps } = await context.openPage(slug);
      return (await listSubscribers(deps, { pageId, ...part })).map(toAddress);
    },
    async remove(slug, email) {
      const { page, ...deps } = await open(slug);
      return removeSubscriber(deps, { page, email });
    },
    async unsuppress(slug, email) {
      const { page, ...deps } = await open(slug);
      return liftSuppression(deps, { page, email });
    },
    async emails(slug, filter) {
      const { pageId, ...deps } = await context.openPage(slug);
      return (await listSubscriberEmails(deps, { pageId, ...filter })).map(toEmail);
    },
    async resend(ref) {
      const { id } = await resendSubscriberEmail(await context.openControl(), await localRef(context, ref));
      return { id };
    },
  };
}

function remoteSubscribers(remote: Remote): Subscribers {
  /** The path of an address of the page; the routes know addresses by their ids. */
  async function pathOf(slug: string, email: string, filter = ''): Promise<string> {
    const path = `${await remote.pathOf(slug)}/subscribers`;
    const wanted = email.trim().toLowerCase();
    const near = await remote.list(`${path}?q=${encodeURIComponent(wanted)}${filter}`, ManagedSubscriber);
    const found = near.find((address) => address.email === wanted);
    if (found !== undefined) return `${path}/${found.id}`;
    const what = filter === '' ? 'is not a subscriber of' : 'is not suppressed on';
    throw new ServiceError('notFound', { message: `${wanted} ${what} ${slug}.` });
  }
  return {
    async add(slug, body) {
      const path = `${await remote.pathOf(slug)}/subscribers`;
      return toShown(await remote.send('POST', path, { answer: ManagedSubscriber, body }));
    },
    async list(slug, { limit, after }) {
      const all = await remote.list(`${await remote.pathOf(slug)}/subscribers`, ManagedSubscriber);
      const later = all.reverse().filter(({ id }) => after === undefined || id > after);
      return later.slice(0, limit).map(toShown);
    },
    async remove(slug, email) {
      await remote.send('DELETE', await pathOf(slug, email), { answer: Nothing });
      return { email: email.trim().toLowerCase() };
    },
    async unsuppress(slug, email) {
      const path = await pathOf(slug, email, '&state=suppressed');
      return remote.send('POST', `${path}/unsuppress`, { answer: LiftedSuppression });
    },
    async emails(slug, { state, limit }) {
      const filter = state === undefined ? '' : `?state=${state}`;
      return remote.list(`${await remote.pathOf(slug)}/emails${filter}`, ManagedEmail, limit);
    },
    async resend({ id, page }) {
      const path = `${await remote.pathOf(page)}/emails/${encodeURIComponent(id)}/resend`;
      const email = await remote.send('POST', path, { answer: ManagedEmail });
      return { id: email.id };
    },
  };
}

function toShown({ id, email, language, state, createdAt, confirmedAt }: Address): Address {
  return { id, email, language, state, createdAt, confirmedAt };
}

function toAddress(subscriber: Subscriber): Address {
  const { id, email, language, createdAt, confirmedAt } = subscriber;
  return {
    ...{ id, email, language, state: subscriberState(subscriber) },
    ...{ createdAt: createdAt.toISOString(), confirmedAt: isoTime(confirmedAt) },
  };
}

function toEmail({ id, kind, email, state, attempts, reason, ...times }: SubscriberEmail) {
  return {
    ...{ id, kind, email, state, attempts },
    createdAt: times.createdAt.toISOString(),
    nextAttemptAt: isoTime(times.nextAttemptAt),
    finishedAt: isoTime(times.finishedAt),
    reason,
  };
}
