export type { Dropped, ReporterStats } from './counts.js';
export { createReporter, type Reporter, type ReporterOptions } from './create-reporter.js';
export type { ReporterIdentity, RequestEvent } from './event.js';
export { unmatched } from './templates.js';
