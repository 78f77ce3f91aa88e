export { watchAlarms, watchReporters } from './alarms/watch-alarms.js';
export {
  type ChannelChanges,
  type ChannelInput,
  changeChannel,
  createChannel,
  deleteChannel,
  disablePageChannels,
} from './change-channel.js';
export { type Channel, type ListedChannel, listChannels, loadChannel, type QuietHours } from './channel.js';
export { startChannelLoop } from './loop.js';
export { parseQuietHours, toManagedChannel, toManagedMessage } from './managed-channel.js';
export { listMessages, pruneMessages, testChannel } from './messages.js';
