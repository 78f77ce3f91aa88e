export { findAlertRule, removeAlertRule, setAlertRule, type WatchedRule } from './alert-rule.js';
export { type WatchDeps, watchFailureRates } from './watch-failure-rates.js';
