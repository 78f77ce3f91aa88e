import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { analyticsLimits } from './limits.js';
import { endpoint, keptNotes, rangeParameters, service, Time } from './parameters.js';

export const MessagesParameters = Type.Object({
  ...rangeParameters,
  service,
  endpoint,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.messages,
      default: analyticsLimits.messagesDefault,
      description: 'Most messages.',
    }),
  ),
});

export const MessagesAnswer = Type.Object(
  {
    ...keptNotes,
    messages: Type.Array(
      Type.Object({
        at: Time(),
        service: Type.String(),
        endpoint: Type.String(),
        method: Type.String(),
        status: Type.Integer(),
        message: Type.String(),
      }),
      { description: 'Newest first. The newest failing message of each endpoint and minute is stored.' },
    ),
    truncated: Type.Boolean(),
  },
  { $id: 'MessagesAnswer' },
);
export type MessagesAnswer = Static<typeof MessagesAnswer>;

/** Which messages to group. */
export const MessageGroupsParameters = Type.Object({
  ...rangeParameters,
  service,
  endpoint,
  status: Type.Optional(
    Type.Integer({ minimum: limits.statusMin, maximum: limits.statusMax, description: 'HTTP status.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: analyticsLimits.messageGroups,
      default: analyticsLimits.messageGroupsDefault,
      description: 'Most groups.',
    }),
  ),
});

/** Stored messages that differ only in numbers, hexadecimal ids and UUIDs. */
export const MessageGroup = Type.Object({
  message: Type.String({ description: 'The newest message of the group.' }),
  pattern: Type.String({ description: 'What its messages have in common: numbers and ids are replaced.' }),
  count: Type.Integer({ description: 'Stored messages: one per endpoint and minute.' }),
  firstAt: Time('Time of the oldest message.'),
  lastAt: Time('Time of the newest message.'),
  statuses: Type.Array(Type.Integer(), { description: 'HTTP statuses, in order.' }),
  endpoints: Type.Array(Type.Object({ service: Type.String(), endpoint: Type.String() }), {
    description: `At most ${analyticsLimits.endpointsPerGroup}, with the most messages first.`,
  }),
  endpointsTotal: Type.Integer({ description: 'How many endpoints sent such a message.' }),
});
export type MessageGroup = Static<typeof MessageGroup>;

/** The groups with the most messages. */
export const MessageGroupsAnswer = Type.Object(
  {
    ...keptNotes,
    groups: Type.Array(MessageGroup, { description: 'Largest count first.' }),
    truncated: Type.Boolean({
      description: `Whether there are more groups than the limit, or older messages in the range: the newest ${analyticsLimits.messagesGrouped} are grouped, and the filters choose from the newest ${analyticsLimits.messagesSearched}.`,
    }),
  },
  { $id: 'MessageGroupsAnswer' },
);
export type MessageGroupsAnswer = Static<typeof MessageGroupsAnswer>;
