export { tellOfFailureRate } from './failure-rate-alarms.js';
export type { WatchedReporter } from './reporter-alarms.js';
export { watchAlarms, watchReporters } from './watch-alarms.js';
