import type { ManageRoutesDeps } from '../../api/routes/manage/deps.js';
import type { Log } from '../../lib/log.js';
import type { PrivateAddresses } from '../../lib/outbound/address-guard.js';
import { createOutbound } from '../../lib/outbound/request.js';
import { prepareEventStore } from '../../sql/prepare-event-store.js';

/** A request waits for it. The command line gives a slow server more time. */
const timeoutMs = 20_000;

/** Returns how requests prepare the ClickHouse of a page's owner. */
export function createEventStorePreparation({
  allowPrivateAddresses,
  log,
}: {
  allowPrivateAddresses: PrivateAddresses;
  log: Log;
}): ManageRoutesDeps['prepareEventStore'] {
  const outbound = createOutbound({ allowPrivateAddresses });
  return (address) => prepareEventStore(address, { outbound, log, timeoutMs });
}
