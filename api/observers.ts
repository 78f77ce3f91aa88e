import type { Context } from 'koa';
import { createNetworkCheck, plainAddress } from '../lib/networks.js';
import { isForwarded, isNamedFirst, type OriginParser } from './request-origin.js';

/** Whether the client of a request may read what is for operators: the metrics, and which store does not answer. */
export type MayObserve = (ctx: Pick<Context, 'req'>) => boolean;

/**
 * Compares the client with the networks. A client behind a trusted proxy is the one that the proxy names. What any other
 * proxy has passed on may come from anybody: what such a proxy sends to a trusted one, after it has named its own client,
 * and what a trusted proxy passes on without naming the client.
 */
export function createObserverCheck(parseOrigin: OriginParser, networks: readonly string[]): MayObserve {
  const isObserver = createNetworkCheck(networks);
  return ({ req }) => {
    const { clientAddress } = parseOrigin({ req });
    const isNamed = clientAddress !== plainAddress(req.socket.remoteAddress ?? '');
    const isKnown = isNamed ? isNamedFirst(req, clientAddress) : !isForwarded(req);
    return isKnown && isObserver(clientAddress);
  };
}
