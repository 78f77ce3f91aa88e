export {
  type AnnouncedEntry,
  type AnnouncedHead,
  loadAnnouncedEntry,
  loadAnnouncedHeads,
} from './announced-entry.js';
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
export { appendUpdate, appendUpdateIn } from './append.js';
export { boundText } from './audit.js';
export { changeIncident, changeIncidentIn, type IncidentVersion } from './change.js';
export { correctUpdate, type UpdateCorrection } from './correct.js';
export {
  createIncident,
  createIncidentIn,
  createIncidentOnce,
  openIncidentIn,
  recordIncident,
} from './create.js';
export { deleteIncident, deleteIncidentIn, deleteUpdate, type ForgetEmails } from './delete.js';
export { type DraftedIncident, draftIncident, type IncidentDraft } from './draft.js';
export { createIncidentCheck } from './find-incidents.js';
export { loadLedger } from './ledger.js';
export { lockPageOfIncidents } from './limits.js';
export { moveMaintenance, remindOfMaintenance } from './maintenance.js';
export {
  type IncidentFilter,
  type ListedIncident,
  listManagedIncidents,
  loadManagedIncident,
  loadManagedUpdate,
  type ManagedIncident,
} from './managed.js';
export { loadPageStandings, type PageStanding } from './page-standings.js';
export {
  type IncidentFields,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
  parseText,
  parseTitle,
  parseUpdateCorrection,
} from './parse.js';
export { type PublishKey, prunePublishKeys, publishOnce } from './publish-once.js';
export { rewordIncidentIn } from './reword.js';
export {
  countRevision,
  listIncidents,
  loadIncidentPage,
  loadScheduledEnds,
  lockIncident,
  refuseUnknownMonitors,
} from './rows.js';
export {
  type IncidentNews,
  loadIncidentNews,
  loadStandingIncidents,
  type StandingIncident,
} from './standing.js';
export { type IncidentTexts, setIncidentTexts } from './texts.js';
export { type ProvidedTexts, parseProvidedTexts, provideTexts } from './translated-texts.js';
export {
  loadCurrentIncidents,
  loadDayIncidents,
  loadFeedIncidents,
  loadIncidentMonth,
  loadRecentIncidents,
  loadShownIncident,
  monthOf,
} from './view-incidents.js';
