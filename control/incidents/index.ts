export { appendUpdate, appendUpdateIn } from './append-update.js';
export { changeIncident } from './change-incident.js';
export { createIncident, createIncidentIn } from './create-incident.js';
export { lockIncident } from './incident-rows.js';
export { listIncidents, loadIncidentPage } from './list-incidents.js';
export { loadIncidentMonth, monthOf } from './load-incident-month.js';
export { loadLedger, loadLedgerEntry } from './load-ledger.js';
export { loadRecentIncidents } from './load-recent-incidents.js';
export { moveMaintenance } from './move-maintenance.js';
export {
  type IncidentFields,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from './parse-incident.js';
export { pruneNotifications } from './prune-notifications.js';
export { recordIncident } from './record-incident.js';
