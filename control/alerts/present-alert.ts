import type { ManagedAlert, OpenAlert } from '../../contract/manage/alerts.js';
import type { Alert } from './alert.js';

const iso = (time: Date | null): string | null => (time === null ? null : time.toISOString());

/** Returns an alert as lists have it, without its evidence. */
export function toOpenAlert(alert: Alert): OpenAlert {
  const { id, severity, state, title, value, threshold, endedBy, note, heldBy, incidentId, silence } = alert;
  return {
    id,
    rule: { slug: alert.ruleSlug, name: alert.ruleName, kind: alert.kind, condition: alert.condition },
    group: alert.groupName,
    subject: alert.subject,
    ...{ severity, state, title, value, threshold },
    startedAt: alert.startedAt.toISOString(),
    ...{ resolvedAt: iso(alert.resolvedAt), endedBy, acknowledgedAt: iso(alert.acknowledgedAt) },
    ...{ acknowledgedBy: alert.acknowledgedName, note, heldBy, toldAt: iso(alert.toldAt), incidentId },
    silence: silence && { id: silence.id, endsAt: silence.endsAt.toISOString() },
  };
}

/** Returns an alert as its page shows it. */
export function toManagedAlert(alert: Alert): ManagedAlert {
  // The store has the evidence as it was written.
  return { ...toOpenAlert(alert), evidence: alert.evidence as ManagedAlert['evidence'] };
}
