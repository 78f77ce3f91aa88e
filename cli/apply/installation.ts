import type { CommandContext } from '../core/context.js';
import { type Alerts, alertsOf } from '../ports/alerts.js';
import type { Channels } from '../ports/channel-port.js';
import { channelsOf } from '../ports/channels.js';
import { type Connections, connectionsOf } from '../ports/connections.js';
import { type Groups, groupsOf } from '../ports/groups.js';
import { type Monitors, monitorsOf } from '../ports/monitors.js';
import { type Pages, pagesOf } from '../ports/pages.js';
import { type Templates, templatesOf } from '../ports/templates.js';
import { type Webhooks, webhooksOf } from '../ports/webhooks.js';

/** What a file is applied to and exported from. */
export type Installation = {
  pages: Pages;
  groups: Groups;
  monitors: Monitors;
  webhooks: Webhooks;
  alerts: Alerts;
  connections: Connections;
  templates: Templates;
  channels: Channels;
};

export function installationOf(context: CommandContext): Installation {
  return {
    pages: pagesOf(context),
    groups: groupsOf(context),
    monitors: monitorsOf(context),
    webhooks: webhooksOf(context),
    alerts: alertsOf(context),
    connections: connectionsOf(context),
    templates: templatesOf(context),
    channels: channelsOf(context),
  };
}
