import type { Read } from '../dashboard/measure-reads.js';

/** Percentiles of the 20 largest endpoints, of a service by the hour, and of the page by the hour and by the minute. */
export const questions: readonly Read[] = [
  ['requests', 'from=now-24h&step=86400&groupBy=endpoint&limit=20'],
  ['requests', 'from=now-14d&step=3600&service=service-7'],
  ['requests', 'from=now-14d&step=3600'],
  ['requests', 'from=now-24h&step=60'],
];
