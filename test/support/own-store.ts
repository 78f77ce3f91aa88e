import type { Test } from 'tap';
import { createOutbound } from '../../lib/outbound/request.js';
import {
  type EventStoreAddress,
  type OwnEventStore,
  type OwnStoreDeps,
  openOwnEventStore,
} from '../../sql/own-store/own-event-store.js';
import { createOwnStoreTurns } from '../../sql/own-store/turns.js';

export const localOutbound = createOutbound({ allowPrivateAddresses: true });

/** Opens a server of this machine as the own event store of a page, until the test ends. */
export function openOwn(
  t: Test,
  address: Partial<EventStoreAddress> & { url: string },
  deps: Partial<OwnStoreDeps> = {},
): OwnEventStore {
  const store = openOwnEventStore(
    { database: 'events', username: 'owner', password: 'secret', ...address },
    { outbound: localOutbound, turns: createOwnStoreTurns(), key: 'page', ...deps },
  );
  t.teardown(() => store.close());
  return store;
}
