import type { Static } from 'typebox';
import type {
  CheckOutcome,
  CreatedMonitor,
  ManagedMonitor,
  PutMonitor,
} from '../../contract/manage/monitors.js';
import type { MonitorKind } from '../../contract/monitors.js';
import type { MonitorSettings } from '../../control/monitors/index.js';

/** Names one monitor: by its id, or by the slugs of its page and its own. */
export type MonitorName = { id: string } | { page: string; slug: string };

export type NewMonitor = MonitorSettings & { slug: string; name: string; kind: MonitorKind };

/**
 * A monitor that was made; `url` of a heartbeat is the address that its job calls, which nothing else shows. `warning` says
 * why this machine could not check the monitor, which only the stores' own machine can tell.
 */
export type MadeMonitor = Static<typeof CreatedMonitor> & { warning?: string };

/** The monitors of an installation, on its stores or over HTTP. */
export type Monitors = {
  create(page: string, input: NewMonitor): Promise<MadeMonitor>;
  /** Creates or replaces; `address` is that of a new heartbeat. */
  put(page: string, slug: string, settings: PutMonitor): Promise<{ address?: string }>;
  /** In the order of the page. */
  list(page: string): Promise<ManagedMonitor[]>;
  show(name: MonitorName): Promise<ManagedMonitor>;
  change(name: MonitorName, settings: MonitorSettings): Promise<ManagedMonitor>;
  pause(name: MonitorName): Promise<ManagedMonitor>;
  resume(name: MonitorName): Promise<ManagedMonitor>;
  /** Makes a check: on the stores from this machine, over HTTP from the service. Stores nothing. */
  check(name: MonitorName): Promise<CheckOutcome>;
  remove(name: MonitorName): Promise<ManagedMonitor>;
};
