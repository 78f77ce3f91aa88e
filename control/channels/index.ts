export { carryMessage } from './carry-message.js';
export { type ChannelChanges, changeChannel, deleteChannel, disablePageChannels } from './change-channel.js';
export { refuseKeptSecretsElsewhere } from './channel-secrets.js';
export { type ChannelInput, createChannel } from './create-channel.js';
export { type PutChannelInput, putChannel } from './create-or-replace-channel.js';
export {
  type Channel,
  hasChannel,
  type ListedChannel,
  listChannels,
  loadChannel,
  type QuietHours,
} from './find-channels.js';
export {
  type ChannelMessage,
  type ProviderOrigins,
  providerOrigins,
  type Severity,
  type StoredMessage,
} from './formats/message.js';
export { judgeAnswer, type MessageOutcome } from './judge-answer.js';
export { listMessages, pruneMessages } from './list-messages.js';
export { startChannelLoop } from './loop.js';
export { parseSettings } from './parse-settings.js';
export { toManagedChannel, toManagedMessage } from './present-channel.js';
export { attemptTimeoutMs } from './queue.js';
export {
  dropHeld,
  listToldPages,
  lockChannels,
  lockTold,
  queueMessage,
  type ToldChannel,
} from './queue-message.js';
export { formatMinute, parseQuietHours, quietUntil } from './quiet-hours.js';
export {
  addReaderChannel,
  checkReaderAddress,
  countConfirmMessages,
  findReader,
  queueReaderMessages,
  type ReaderAddress,
  type ReaderMessage,
} from './reader-channels.js';
export { testChannel } from './test-channel.js';
