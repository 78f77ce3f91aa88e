export { type CheckMonitor, changeMonitor, deleteMonitor } from './change-monitor.js';
export {
  type CreatedMonitor,
  type CreateMonitorInput,
  createMonitor,
  parseNewMonitor,
} from './create-monitor.js';
export { endPageOutages } from './end-outages.js';
export { deleteGroup, type Group, listGroups, loadGroup, putGroup } from './groups/group.js';
export { type ChoosableService, listChoosable } from './groups/list-choosable.js';
export { loadServiceGroups } from './groups/load-service-groups.js';
export { loadOrder, type Order, putOrder } from './groups/order.js';
export { createPings, type RecordPing, startHeartbeat } from './heartbeats.js';
export {
  type ImportCounts,
  importChecks,
  type NewestCheck,
  noteImportedChecks,
  storeChecks,
} from './import/import-checks.js';
export { type ImportedSite, importUpptime, type Remedy, type UptimeDay } from './import/import-upptime.js';
export { loadUpptime, loadUpptimeNotes } from './import/parse-upptime.js';
export {
  type ListedState,
  listedStates,
  listManagedMonitors,
  listMonitorStandings,
  type MonitorStanding,
} from './list-monitors.js';
export {
  findCertificateEnd,
  listDownMonitors,
  listEndingCertificates,
  loadMonitorWatch,
} from './list-troubled.js';
export { toManagedMonitor } from './managed-monitor.js';
export {
  listMonitors,
  loadMonitor,
  loadServiceNames,
  type Monitor,
  type MonitorRef,
} from './monitor.js';
export type { MonitorSettings } from './monitor-settings.js';
export { pauseMonitor, pausePageMonitors, resumeMonitor, resumePageMonitors } from './pauses.js';
export { explainBlockedTarget } from './probe/blocked-target.js';
export { type Outcome, ProbeError } from './probe/outcome.js';
export { type ProbeMetrics, startProbes } from './probe/probes.js';
export { type CheckDeps, createCheckDeps, runCheck } from './probe/run-check.js';
export { loadCheck } from './probe/schedule.js';
export { checkOutcomes } from './probe/scheduler.js';
export { planTrial, runTrial, type TrialInput } from './probe/try-settings.js';
export { putMonitor } from './put-monitor.js';
export { stopPageHeartbeats } from './stop-heartbeats.js';
export { watchMonitors } from './watch-monitors.js';
