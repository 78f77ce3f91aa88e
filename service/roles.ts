/**
 * What a process of the service does: answer requests; run scheduled jobs; check monitors; deliver what waits
 * (email, webhooks, translations, buffered events).
 */
export const roles = ['api', 'jobs', 'probe', 'deliver'] as const;
export type Role = (typeof roles)[number];
