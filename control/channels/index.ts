export {
  type ChannelChanges,
  type ChannelInput,
  changeChannel,
  createChannel,
  deleteChannel,
  disablePageChannels,
} from './change-channel.js';
export { type Channel, type ListedChannel, listChannels, loadChannel, type QuietHours } from './channel.js';
export type { ChannelMessage, Severity, StoredMessage } from './formats/message.js';
export { startChannelLoop } from './loop.js';
export { parseQuietHours, toManagedChannel, toManagedMessage } from './managed-channel.js';
export { listMessages, pruneMessages, testChannel } from './messages.js';
export { type PutChannelInput, putChannel } from './put-channel.js';
export {
  dropHeld,
  listToldPages,
  lockTold,
  queueMessage,
  type ToldChannel,
} from './queue-message.js';
export {
  addReaderChannel,
  checkReaderAddress,
  countConfirmMessages,
  findReader,
  queueReaderMessages,
  type ReaderAddress,
  type ReaderMessage,
} from './reader-channels.js';
