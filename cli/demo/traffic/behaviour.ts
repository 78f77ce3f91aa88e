import { noiseAt } from '../noise.js';
import { isDuring, isSearchDown, plot, releaseTrouble, type Times } from '../plot.js';
import type { Endpoint, Failure } from './endpoints.js';

/** How an endpoint behaves at a time. */
export type Behaviour = {
  /** Times its usual requests. */
  load: number;
  /** Times its usual response time. */
  slowness: number;
  /** Part of its requests that fail. */
  failing: number;
  /** A failing request ends with one of them. */
  failures: readonly Failure[];
};

const ofPayments: readonly Failure[] = [
  { status: 502, message: 'payment provider: connection reset by peer (request {hex})' },
  { status: 502, message: 'payment provider: connection reset by peer (request {hex})' },
  { status: 504, message: 'payment provider: no answer within 8000 ms (request {hex})' },
  { status: 500, message: 'order {id} is locked by another transaction' },
];
const ofPool: readonly Failure[] = [
  { status: 503, message: 'no connection of the pool orders/primary within 5000 ms (request {hex})' },
];
const ofSearch: readonly Failure[] = [
  { status: 503, message: 'index catalog-7: checksum mismatch in segment {hex}' },
];
const poolEndpoints = new Set(['/orders', '/orders/:id', '/checkout']);
const ofSearchService = new Set(['/search', '/suggest', '/facets']);

/** Returns how an endpoint behaves at a time, in milliseconds since the epoch. */
export function behaviourOf(endpoint: Endpoint, at: number, times: Times): Behaviour {
  const usual = { load: 1, slowness: 1, failing: endpoint.failing, failures: [endpoint.failure] };
  const { method, endpoint: path } = endpoint;
  if (poolEndpoints.has(path) && isDuring(plot.poolOut, at, times)) {
    return { ...usual, slowness: 9, failing: 0.11, failures: ofPool };
  }
  if (path === '/products/:id/reviews' && releaseTrouble(at, times) > 0) return { ...usual, slowness: 13 };
  if (method === 'POST' && path === '/checkout') {
    const trouble = releaseTrouble(at, times);
    if (trouble > 0) return { ...usual, failing: 0.004 + 0.09 * trouble, failures: ofPayments };
  }
  if (ofSearchService.has(path) && isSearchDown(at, times)) {
    return { ...usual, slowness: 4, failing: path === '/search' ? 0.36 : 0.08, failures: ofSearch };
  }
  if (path === '/login' && isDuring(plot.passwords, at, times)) return { ...usual, load: 11, failing: 0.94 };
  return usual;
}

/** Writes a message with a number and a request id, which follow from `seed` and `place`. */
export function fillMessage(message: string, seed: number, place: number): string {
  if (!message.includes('{')) return message;
  const id = 10_000 + Math.floor(80_000 * noiseAt(seed, place));
  const hex = Math.floor(2 ** 32 * noiseAt(seed + 1, place))
    .toString(16)
    .padStart(8, '0');
  return message.replace('{id}', String(id)).replace('{hex}', hex);
}
