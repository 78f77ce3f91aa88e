import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { subscriberLimits } from '../contract/subscribers.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { ServiceError } from '../lib/service-error.js';

/** @throws ServiceError 429, with the seconds to wait in `Retry-After`. */
export type SignUpLimit = (clientAddress: string, pageId: PageId) => void;

const windowMs = 3_600_000;
/** Clients beyond that push the longest silent one out; what they may do together is bounded by the page. */
const countersMax = 20_000;

type Counter = { count: number; endsAt: number };

/**
 * Bounds how often one client, and how often all of them together, sign addresses up on a page. A client that is
 * over its own limit does not count for the page, so that nobody can use that up alone.
 */
export function createSignUpLimit({ clock }: { clock: Clock }): SignUpLimit {
  const clients = new LRUCache<string, Counter>({ max: countersMax });
  const pages = new LRUCache<PageId, Counter>({ max: countersMax });
  return (clientAddress, pageId) => {
    const now = clock.now();
    count(clients, networkOf(clientAddress), subscriberLimits.signUpsPerClientPerHour, now);
    count(pages, pageId, subscriberLimits.signUpsPerPagePerHour, now);
  };
}

function count<Key extends string>(
  counters: LRUCache<Key, Counter>,
  key: Key,
  max: number,
  now: number,
): void {
  const known = counters.get(key);
  const counter = known !== undefined && now < known.endsAt ? known : { count: 0, endsAt: now + windowMs };
  if (counter.count >= max) {
    throw new ServiceError('tooManySignUps', { retryAfterSeconds: Math.ceil((counter.endsAt - now) / 1000) });
  }
  counter.count += 1;
  counters.set(key, counter);
}

/** A household or server has a whole IPv6 network of 64 bits to choose addresses from. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]?.split('::') ?? [];
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16))
    .join(':');
}
