export { watchAlarms } from './watch-alarms.js';
