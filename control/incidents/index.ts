export { refuseUnknownMonitors } from './affected-services.js';
export {
  type AnnouncedEntry,
  type AnnouncedHead,
  loadAnnouncedEntry,
  loadAnnouncedHeads,
} from './announced-incident.js';
export {
  type Announcement,
  type EmailedAnnouncement,
  lockAnnouncementForEmails,
  lockAnnouncementsForWebhooks,
  markEmailsQueued,
  markWebhooksQueued,
  pruneAnnouncedTexts,
  pruneAnnouncements,
} from './announcements.js';
export { createIncidentCheck, listIncidents } from './api-incidents.js';
export { appendUpdate, appendUpdateIn } from './append-update.js';
export { boundText } from './audit.js';
export {
  changeIncident,
  changeIncidentIn,
  rewordIncidentIn,
} from './change-incident.js';
export { correctUpdate } from './correct-update.js';
export {
  createIncident,
  createIncidentIn,
  createIncidentOnce,
  openIncidentIn,
  recordIncident,
} from './create-incident.js';
export { deleteIncident, deleteIncidentIn, deleteUpdate, type ForgetEmails } from './delete-incident.js';
export { countRevision, type IncidentVersion, lockIncident } from './incident-row.js';
export { lockPageOfIncidents } from './limits.js';
export {
  type IncidentFilter,
  type ListedIncident,
  listManagedIncidents,
  loadManagedIncident,
  loadManagedUpdate,
  type ManagedIncident,
} from './managed-incidents.js';
export { moveMaintenance, remindOfMaintenance } from './move-maintenance.js';
export {
  type IncidentNews,
  loadIncidentNews,
  loadStandingIncidents,
  type StandingIncident,
} from './overview-incidents.js';
export {
  loadCurrentIncidents,
  loadDayIncidents,
  loadPageStandings,
  type PageStanding,
} from './page-state.js';
export {
  type IncidentFields,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
  parseText,
  parseTitle,
  parseUpdateCorrection,
  type UpdateCorrection,
} from './parse-incident.js';
export { type DraftedIncident, draftIncident, type IncidentDraft } from './preview-incident.js';
export { type ProvidedTexts, parseProvidedTexts, provideTexts } from './provide-texts.js';
export {
  loadFeedIncidents,
  loadIncidentMonth,
  loadRecentIncidents,
  loadShownIncident,
  monthOf,
} from './public-incidents.js';
export { loadLedger } from './public-ledger.js';
export { type PublishKey, prunePublishKeys, publishOnce } from './publish-once.js';
export { type IncidentTexts, setIncidentTexts } from './set-texts.js';
