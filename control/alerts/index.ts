export {
  type Alert,
  type AlertFilter,
  type AlertPosition,
  countAlerts,
  listAlerts,
  loadAlert,
} from './alert.js';
export { loadAlertFigures } from './alert-figures.js';
export { type LinkRecipient, type OpenedLink, openAlertLink, signAlertLink } from './alert-links.js';
export {
  type AlertRule,
  checkAlertRule,
  findAlertRule,
  listThresholds,
  removeAlertRule,
  setAlertRule,
  type WatchedAlertRule,
} from './alert-rule.js';
export { acknowledgeAlert, answerTogether, resolveAlert, unacknowledgeAlert } from './answer-alert.js';
export { escalate } from './escalate.js';
export {
  type Evidence as AlertEvidence,
  evidenceParts,
  figuresOfChecks,
  messagesOfChecks,
  windowsOf,
  worstEndpoints,
} from './evidence.js';
export { holdBack } from './hold-back.js';
export { listNotices, type Notice } from './notices.js';
export { toManagedAlert, toOpenAlert } from './present-alert.js';
export { type Firing, type MinuteCounts, previewAlertRule } from './preview-alert-rule.js';
export { pruneAlerts } from './prune-alerts.js';
export { changeAlertsOfRule, endAlertsOfRule } from './settle-looks.js';
export { createSilence, endSilence, listSilences, type Silence } from './silences.js';
export { tellAlerts } from './tell-alerts.js';
export { type Looker, watchRules } from './watch-rules.js';
