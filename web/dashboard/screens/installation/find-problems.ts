import type { Installation, ManagedJob } from '../../../../contract/manage/installation.js';

/** Something that the people who run the installation should look at. */
export type Problem =
  | { kind: 'storeUnavailable'; store: keyof Installation['stores'] }
  | { kind: 'noInstance' }
  | { kind: 'roleMissing'; role: string }
  | { kind: 'versionsDiffer' }
  | { kind: 'jobFailed'; job: string }
  | { kind: 'batchesWait'; store: Batches['store']; seconds: number }
  | { kind: 'batchesExhausted'; store: Batches['store']; count: number }
  | { kind: 'outboxWaits'; what: Outbox['kind']; seconds: number };

type Batches = Installation['backlogs']['batches'][number];
type Outbox = Installation['backlogs']['outbox'][number];

/** Roles without which a part of the service stands still. */
const roles = ['api', 'jobs', 'probe', 'deliver'] as const;
/** A shorter wait is normal. */
const waitSecondsMax = 300;

/** Returns the problems of an installation, the worst first. */
export function findProblems({ stores, instances, jobs, backlogs }: Installation): Problem[] {
  const unavailable = (['postgres', 'clickhouse'] as const).filter((store) => !stores[store].isAvailable);
  const missing = roles.filter((role) => !instances.some((one) => one.roles.includes(role)));
  return [
    ...unavailable.map((store) => ({ kind: 'storeUnavailable' as const, store })),
    ...(instances.length === 0
      ? [{ kind: 'noInstance' as const }]
      : missing.map((role) => ({ kind: 'roleMissing' as const, role }))),
    ...(new Set(instances.map(({ version }) => version)).size > 1
      ? [{ kind: 'versionsDiffer' as const }]
      : []),
    ...jobs
      .filter((job) => stateOfJob(job) === 'failed')
      .map(({ name }) => ({ kind: 'jobFailed' as const, job: name })),
    ...backlogs.batches.flatMap(({ store, exhausted, oldestSeconds }) => [
      ...(exhausted > 0 ? [{ kind: 'batchesExhausted' as const, store, count: exhausted }] : []),
      ...(oldestSeconds > waitSecondsMax
        ? [{ kind: 'batchesWait' as const, store, seconds: oldestSeconds }]
        : []),
    ]),
    ...backlogs.outbox
      .filter(({ oldestSeconds }) => oldestSeconds > waitSecondsMax)
      .map(({ kind, oldestSeconds }) => ({
        ...{ kind: 'outboxWaits' as const, what: kind, seconds: oldestSeconds },
      })),
  ];
}

/** How the newest run of a job went. One that was cut off counts as failed. */
export function stateOfJob({
  isRunning,
  lastRun,
}: Pick<ManagedJob, 'isRunning' | 'lastRun'>): 'running' | 'failed' | 'succeeded' | 'never' {
  if (isRunning) return 'running';
  if (lastRun === null) return 'never';
  const { succeededAt, startedAt } = lastRun;
  const hasSucceeded = succeededAt !== null && Date.parse(succeededAt) >= Date.parse(startedAt);
  return hasSucceeded ? 'succeeded' : 'failed';
}
