export { burnRulesOf } from './burn-rules.js';
export {
  addRulesIn,
  changeRule,
  deleteRule,
  deleteRulesOf,
  followIn,
  type PutRuleFields,
  putRule,
  type RuleChanges,
  type RuleDeps,
  withDefaults,
} from './change-rule.js';
export { addDefaultRules } from './default-rules.js';
export { judgeBurnRate } from './judge-burn-rate.js';
export { judgeMonitors, type MonitorStanding } from './judge-monitors.js';
export { judgePools, type PoolFigures } from './judge-pools.js';
export { judgeQuery, type QueryAnswer } from './judge-query.js';
export { judgeReporters, type ReporterStanding, reportersOf } from './judge-reporters.js';
export {
  judgeFailureRate,
  judgeLatency,
  judgeTraffic,
  levelOf,
  type RequestCounts,
  type ResponseTimes,
} from './judge-requests.js';
export { lookAtRequests, type RequestReads } from './look-at-requests.js';
export {
  type Ending,
  type Fact,
  nameOfGroup,
  type Observation,
  partsOfGroup,
  type RuleLook,
  toPartial,
} from './observation.js';
export { checkRule } from './parse-rule.js';
export { monitorsOf, observeMonitors, type PastMonitor, worstMonitors } from './past-monitors.js';
export { observePools, type PastPool, worstPools } from './past-pools.js';
export { observeReporters } from './past-reporters.js';
export { observeBurnRate, observeRequests, type PastGroup, type PastStep } from './past-windows.js';
export { lineOf, type PastLooks, previewRule } from './preview-rule.js';
export {
  listRules,
  loadRule,
  loadWatchedRules,
  lockLooked,
  noteLooked,
  type Rule,
  type RuleFields,
  type WatchedRule,
} from './rule.js';
export type { GroupState } from './rule-state.js';
export { type GroupStates, settleRule } from './settle-rule.js';
