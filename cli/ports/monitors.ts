import type { CommandContext } from '../core/context.js';
import { localMonitors } from './local-monitors.js';
import type { Monitors } from './monitor-port.js';
import { remoteMonitors } from './remote-monitors.js';

export type { MadeMonitor, MonitorName, Monitors, NewMonitor } from './monitor-port.js';

export function monitorsOf(context: CommandContext): Monitors {
  return context.remote === undefined ? localMonitors(context) : remoteMonitors(context.remote);
}
