import type { LookupFunction } from 'node:net';
import type { Clock } from '../../../lib/clock.js';
import { createFilteringAgents, type FilteringAgents } from '../../../lib/outbound/filtering-agents.js';
import { createResolver } from '../../../lib/outbound/resolve-host.js';

/** What checks reach the network with. */
export type CheckDeps = { agents: FilteringAgents; lookup: LookupFunction; clock: Clock };

/** Connections to private addresses are refused unless they are allowed. */
export function createCheckDeps({
  allowPrivateAddresses,
  clock,
}: {
  allowPrivateAddresses: boolean;
  clock: Clock;
}): CheckDeps {
  return {
    agents: createFilteringAgents({ allowPrivateAddresses }),
    lookup: createResolver({ localNames: allowPrivateAddresses }),
    clock,
  };
}
