export { watchAlarms, watchReporters } from './watch-alarms.js';
