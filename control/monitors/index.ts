export { type CheckMonitor, changeMonitor, deleteMonitor } from './change-monitor.js';
export {
  type CreatedMonitor,
  type CreateMonitorInput,
  createMonitor,
  parseNewMonitor,
} from './create-monitor.js';
export { endPageOutages } from './end-outages.js';
export { deleteGroup, type Group, listGroups, loadGroup, putGroup } from './groups/group.js';
export { loadOrder, type Order, putOrder } from './groups/order.js';
export { type ChoosableService, listChoosable, loadServiceGroups } from './groups/public-groups.js';
export { createPings, type RecordPing, startHeartbeat, stopPageHeartbeats } from './heartbeats.js';
export {
  type ImportCounts,
  importChecks,
  type NewestCheck,
  noteImportedChecks,
  storeChecks,
} from './import/import-checks.js';
export { type ImportedSite, importUpptime, type Remedy, type UptimeDay } from './import/import-upptime.js';
export { loadUpptime, loadUpptimeNotes } from './import/parse-upptime.js';
export { listStandingMonitors } from './list-standing.js';
export {
  type ListedState,
  listedStates,
  listManagedMonitors,
  listMonitorStandings,
  type MonitorStanding,
  toManagedMonitor,
} from './managed-monitors.js';
export {
  listMonitors,
  loadMonitor,
  loadServiceNames,
  type Monitor,
  type MonitorRef,
} from './monitor.js';
export type { MonitorSettings } from './monitor-settings.js';
export { pauseMonitor, pausePageMonitors, resumeMonitor, resumePageMonitors } from './pauses.js';
export { loadCheck } from './probe/due-checks.js';
export { type Outcome, ProbeError } from './probe/outcome.js';
export { type ProbeMetrics, startProbes } from './probe/probes.js';
export { type CheckDeps, createCheckDeps, runCheck } from './probe/run-check.js';
export { checkOutcomes } from './probe/scheduler.js';
export { explainBlockedTarget, planTrial, runTrial, type TrialInput } from './probe/try-settings.js';
export { putMonitor } from './put-monitor.js';
export { watchMonitors } from './watch-monitors.js';
