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
export { appendUpdate, appendUpdateIn, changeIncident } from './change.js';
export { createIncident, createIncidentIn, recordIncident } from './create.js';
export { createIncidentCheck } from './find-incidents.js';
export { loadLedger } from './ledger.js';
export { moveMaintenance } from './maintenance.js';
export { type IncidentFields, parseIncidentChange, parseNewIncident, parseNewUpdate } from './parse.js';
export { listIncidents, loadIncidentPage, loadScheduledEnds, lockIncident } from './rows.js';
export {
  loadCurrentIncidents,
  loadDayIncidents,
  loadFeedIncidents,
  loadIncidentMonth,
  loadRecentIncidents,
  loadShownIncident,
  monthOf,
} from './view-incidents.js';
