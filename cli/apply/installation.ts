import type { CommandContext } from '../core/context.js';
import { type Alerts, alertsOf } from '../ports/alerts.js';
import { type Connections, connectionsOf } from '../ports/connections.js';
import { type Monitors, monitorsOf } from '../ports/monitors.js';
import { type Pages, pagesOf } from '../ports/pages.js';
import { type Webhooks, webhooksOf } from '../ports/webhooks.js';

/** What a file is applied to and exported from. */
export type Installation = {
  pages: Pages;
  monitors: Monitors;
  webhooks: Webhooks;
  alerts: Alerts;
  connections: Connections;
};

export function installationOf(context: CommandContext): Installation {
  return {
    pages: pagesOf(context),
    monitors: monitorsOf(context),
    webhooks: webhooksOf(context),
    alerts: alertsOf(context),
    connections: connectionsOf(context),
  };
}
