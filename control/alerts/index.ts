export {
  type AlertRule,
  checkRule,
  type Evidence,
  type FiringRule,
  findAlertRule,
  listFiringRules,
  removeAlertRule,
  setAlertRule,
  type WatchedRule,
} from './alert-rule.js';
export { listThresholds } from './list-thresholds.js';
export { type Firing, type MinuteCounts, previewAlertRule } from './preview.js';
export { type WatchDeps, watchFailureRates } from './watch-failure-rates.js';
