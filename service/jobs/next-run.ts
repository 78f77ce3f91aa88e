import cron from 'node-cron';
import type { Job } from './job.js';

/** When a job is due next; `undefined` when its schedule has no such time. */
export function nextRunOf({ schedule }: Job): Date | undefined {
  const task = cron.createTask(schedule, () => {}, { timezone: 'UTC' });
  const [next] = task.getNextRuns(1);
  task.destroy();
  return next;
}
