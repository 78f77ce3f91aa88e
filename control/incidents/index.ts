export {
  type AnnouncedEntry,
  type AnnouncedHead,
  loadAnnouncedEntry,
  loadAnnouncedHeads,
} from './announced-entry.js';
export {
  type Announcement,
  lockAnnouncementForEmails,
  lockAnnouncementsForWebhooks,
  markEmailsQueued,
  markWebhooksQueued,
  pruneAnnouncedTexts,
  pruneAnnouncements,
} from './announcements.js';
export { appendUpdate, appendUpdateIn } from './append.js';
export { changeIncident, type IncidentVersion } from './change.js';
export { correctUpdate, type UpdateCorrection } from './correct.js';
export { createIncident, createIncidentIn, recordIncident } from './create.js';
export { deleteIncident, deleteUpdate } from './delete.js';
export { createIncidentCheck } from './find-incidents.js';
export { loadLedger } from './ledger.js';
export { moveMaintenance } from './maintenance.js';
export {
  type IncidentFilter,
  type ListedIncident,
  listManagedIncidents,
  loadManagedIncident,
  loadManagedUpdate,
  type ManagedIncident,
} from './managed.js';
export {
  type IncidentFields,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
  parseUpdateCorrection,
} from './parse.js';
export { listIncidents, loadIncidentPage, loadScheduledEnds, lockIncident } from './rows.js';
export {
  type IncidentNews,
  loadIncidentNews,
  loadStandingIncidents,
  type StandingIncident,
} from './standing.js';
export { type IncidentTexts, setIncidentTexts } from './texts.js';
export {
  loadCurrentIncidents,
  loadDayIncidents,
  loadFeedIncidents,
  loadIncidentMonth,
  loadRecentIncidents,
  loadShownIncident,
  monthOf,
} from './view-incidents.js';
