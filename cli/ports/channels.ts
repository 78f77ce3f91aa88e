import type {
  ChangeManagedChannel,
  CreateManagedChannel,
  ManagedChannel,
  ManagedMessage,
} from '../../contract/manage/channels.js';
import type { CommandContext } from '../core/context.js';
import { localChannels } from './local-channels.js';
import type { Ref } from './ref.js';
import { remoteChannels } from './remote-channels.js';

/** The channels of an installation, on its stores or over HTTP. */
export type Channels = {
  create(page: string, input: CreateManagedChannel): Promise<ManagedChannel>;
  /** Oldest first. */
  list(page: string): Promise<ManagedChannel[]>;
  change(ref: Ref, changes: ChangeManagedChannel): Promise<ManagedChannel>;
  remove(ref: Ref): Promise<ManagedChannel>;
  /** Queues a test message. */
  test(ref: Ref): Promise<{ messageId: string }>;
  /** Newest first. */
  messages(ref: Ref, limit: number): Promise<ManagedMessage[]>;
};

export function channelsOf(context: CommandContext): Channels {
  return context.remote === undefined ? localChannels(context) : remoteChannels(context.remote);
}
