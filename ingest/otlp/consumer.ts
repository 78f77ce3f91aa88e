import { type Attributes, unmatched } from './tree.js';

/** The method of messages that a service takes from a queue. */
export const messageMethod = 'MESSAGE';

/** Names of queues, the template before the name with ids in it, and the names of older conventions. */
const destinationKeys = [
  'messaging.destination.template',
  'messaging.destination.name',
  'messaging.source.name',
  'messaging.destination',
] as const;
const operationKeys = [
  'messaging.operation.type',
  'messaging.operation',
  'messaging.operation.name',
] as const;

/** Whether a span of a consumer is a message, or a batch of them. */
export function isMessage(attributes: Attributes): boolean {
  return attributes.text('messaging.system', ...destinationKeys, ...operationKeys) !== undefined;
}

/**
 * Returns the operation and the queue, such as `process orders`. Queues that exist for one connection have a new name each
 * time, so they are one endpoint.
 */
export function endpointOfMessage(attributes: Attributes): string {
  const operation = attributes.text(...operationKeys) ?? 'receive';
  return `${operation} ${destinationOf(attributes)}`;
}

function destinationOf(attributes: Attributes): string {
  const template = attributes.text('messaging.destination.template');
  if (template !== undefined) return template;
  if (attributes.isTrue('messaging.destination.temporary')) return '(temporary)';
  if (attributes.isTrue('messaging.destination.anonymous')) return '(anonymous)';
  const name = attributes.text(...destinationKeys) ?? unmatched;
  return name.includes('amq.gen-') ? '(anonymous)' : name;
}
