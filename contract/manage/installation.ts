import Type, { type Static } from 'typebox';
import { closed, Id, nullable, Time } from './shared.js';

const Store = closed({
  isAvailable: Type.Boolean(),
  version: nullable(Type.String()),
  bytes: nullable(
    Type.Integer({ description: 'What its data takes on the disk; null when it does not say.' }),
  ),
});

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({
  minimum: 0,
  description: 'Age of the oldest in seconds; 0 when nothing waits.',
});

export const ManagedJob = closed({
  name: Type.String(),
  summary: Type.String(),
  schedule: Type.String({ description: 'A cron expression of five fields, in UTC.' }),
  isRunning: Type.Boolean(),
  lastRun: nullable(
    closed({
      startedAt: Time,
      endedAt: nullable(
        Type.String({ format: 'date-time', description: 'null while it runs, or was cut off.' }),
      ),
      succeededAt: nullable(
        Type.String({ format: 'date-time', description: 'End of the last run that succeeded.' }),
      ),
    }),
  ),
  nextRunAt: nullable(Time),
});
export type ManagedJob = Static<typeof ManagedJob>;

/** The state of an installation. */
export const Installation = closed({
  version: Type.String(),
  stores: closed({ postgres: Store, clickhouse: Store }),
  instances: Type.Array(
    closed({
      id: Id,
      host: Type.String(),
      process: Type.Integer({ description: 'Number of the process on its host.' }),
      version: Type.String(),
      roles: Type.Array(Type.String()),
      startedAt: Time,
      seenAt: Time,
    }),
    { description: 'Processes of the service that were seen in the last minute.' },
  ),
  jobs: Type.Array(ManagedJob),
  backlogs: closed({
    batches: Type.Array(
      closed({
        store: Type.Enum(['default', 'pages', 'pool-reports']),
        waiting: Count,
        exhausted: Count,
        removed: Count,
        oldestSeconds: Seconds,
      }),
      { description: 'Buffered events and pool reports, by where they go.' },
    ),
    outbox: Type.Array(
      closed({
        kind: Type.Enum(['email', 'webhook', 'channel', 'person', 'translation']),
        waiting: Count,
        oldestSeconds: Seconds,
      }),
    ),
  }),
});
export type Installation = Static<typeof Installation>;

/** The outcome of a test mail. */
export const TestMail = closed({
  to: Type.String(),
  state: Type.Enum(['accepted', 'failed'], {
    description: 'accepted when the mail server has taken it.',
  }),
  reason: nullable(
    Type.String({ description: 'Why it failed, in the words of the mail server; null when it did not.' }),
  ),
});
export type TestMail = Static<typeof TestMail>;

/** How a run of a job that was asked for stands. */
export const JobRun = closed({
  job: Type.String(),
  state: Type.Enum(['succeeded', 'failed', 'running'], {
    description: 'A run that takes longer is followed in the state of the installation.',
  }),
});
export type JobRun = Static<typeof JobRun>;

/** Whether URLs that pages name may lead to loopback and private networks, and what decides that. */
export const PrivateAddressState = closed({
  allowed: Type.Boolean(),
  decidedBy: Type.Enum(['environment', 'installation', 'default'], {
    description:
      '`environment`: HEARTLINE_ALLOW_PRIVATE_ADDRESSES; `installation`: this setting; `default`: neither, and they are allowed where BASE_URL is not set.',
  }),
});
export type PrivateAddressState = Static<typeof PrivateAddressState>;

export const PrivateAddressChange = closed({
  allowed: Type.Optional(nullable(Type.Boolean({ description: 'null returns to the default.' }))),
});
