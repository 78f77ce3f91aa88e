import Type, { type Static } from 'typebox';
import { closed, nullable, Time } from './shared.js';

const Count = Type.Integer({ minimum: 0 });

const Backlog = closed(
  {
    waiting: Type.Integer({ minimum: 0, description: 'Batches that delivery still tries.' }),
    exhausted: Type.Integer({
      minimum: 0,
      description: 'Batches that were given up, and wait until they are replayed.',
    }),
    events: Count,
    oldestAt: nullable(Time),
    nextAttemptAt: nullable(Time),
    lastError: nullable(Type.String()),
    removedBatches: Type.Integer({
      minimum: 0,
      description: 'Batches that were removed because newer ones needed the room.',
    }),
    removedEvents: Count,
  },
  'Batches of events that the store has not taken yet.',
);

const settings = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_000,
    description: 'http or https with host and port, such as https://clickhouse.example.com:8443.',
  }),
  database: Type.String({ description: 'Up to 64 letters, digits and "_".' }),
  username: Type.String({ minLength: 1, maxLength: 200 }),
};

/** The ClickHouse in which a page keeps its events, when that is not the installation's. */
export const ManagedEventStore = closed({
  ...settings,
  hasPassword: Type.Boolean(),
  setAt: Time,
  backlog: Backlog,
});
export type ManagedEventStore = Static<typeof ManagedEventStore>;

export const SetEventStore = closed({
  ...settings,
  database: Type.Optional(
    Type.String({ description: 'Up to 64 letters, digits and "_"; heartline when absent.' }),
  ),
  password: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'No answer has it. When absent, it stays; another address or user needs it again.',
    }),
  ),
});

export const EventStoreTest = closed({
  isUsable: Type.Boolean(),
  version: nullable(Type.String({ description: 'Version of the ClickHouse server.' })),
  error: nullable(Type.String({ description: 'Why it cannot be used.' })),
});

export type EventStoreTest = Static<typeof EventStoreTest>;

export const EventStoreReplay = closed({
  replayed: Type.Integer({ minimum: 0, description: 'Batches that had been given up.' }),
});
