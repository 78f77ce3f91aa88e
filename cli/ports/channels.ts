import type { CommandContext } from '../core/context.js';
import type { Channels } from './channel-port.js';
import { localChannels } from './local-channels.js';
import { remoteChannels } from './remote-channels.js';

export function channelsOf(context: CommandContext): Channels {
  return context.remote === undefined ? localChannels(context) : remoteChannels(context.remote);
}
