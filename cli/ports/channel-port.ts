import type {
  ChangeManagedChannel,
  CreateManagedChannel,
  ManagedChannel,
  ManagedMessage,
  PutManagedChannel,
} from '../../contract/manage/channels.js';
import type { Ref } from './ref.js';

/** The channels of an installation, on its stores or over HTTP. */
export type Channels = {
  create(page: string, input: CreateManagedChannel): Promise<ManagedChannel>;
  /** Creates the channel with this name, or replaces its settings. */
  put(page: string, name: string, settings: PutManagedChannel): Promise<ManagedChannel>;
  /** Oldest first. */
  list(page: string): Promise<ManagedChannel[]>;
  change(ref: Ref, changes: ChangeManagedChannel): Promise<ManagedChannel>;
  remove(ref: Ref): Promise<ManagedChannel>;
  /** Queues a test message. */
  test(ref: Ref): Promise<{ messageId: string }>;
  /** Newest first. */
  messages(ref: Ref, limit: number): Promise<ManagedMessage[]>;
};
