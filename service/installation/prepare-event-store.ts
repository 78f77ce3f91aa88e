import type { ManageRoutesDeps } from '../../api/routes/manage/deps.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { prepareEventStore } from '../../sql/prepare-event-store.js';
import type { ServiceOptions } from '../options.js';

/** A request waits for it. The command line gives a slow server more time. */
const timeoutMs = 20_000;

/** Returns how requests prepare the ClickHouse of a page's owner. */
export function createEventStorePreparation({
  allowPrivateAddresses = false,
  log,
}: Pick<ServiceOptions, 'allowPrivateAddresses' | 'log'>): ManageRoutesDeps['prepareEventStore'] {
  const outbound = createOutbound({ allowPrivateAddresses });
  return (address) => prepareEventStore(address, { outbound, log, timeoutMs });
}
