/** What the launcher and a store's process say to each other; `Start` is what that store needs to start. */
export type ToChild<Start> = { type: 'start'; dir: string; start: Start } | { type: 'stop' };

export type FromChild = { type: 'ready'; port: number } | { type: 'failed'; text: string };

/** Whether a value that came over the channel is a message of this protocol, by its type. */
export function hasType(value: unknown): value is { type: unknown } {
  return typeof value === 'object' && value !== null && 'type' in value;
}
