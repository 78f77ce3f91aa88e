export {
  type AlertRule,
  checkRule,
  type Evidence,
  type FiringRule,
  findAlertRule,
  listFiringRules,
  listThresholds,
  removeAlertRule,
  setAlertRule,
  type WatchedRule,
} from './alert-rule.js';
export { type Firing, type MinuteCounts, previewAlertRule } from './preview-alert-rule.js';
export { type WatchDeps, watchFailureRates } from './watch-failure-rates.js';
