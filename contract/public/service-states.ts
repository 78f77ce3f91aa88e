/** The state of a service as visitors see it. */
export const serviceStates = [
  'operational',
  'degraded',
  'partial_outage',
  'major_outage',
  'maintenance',
  'unknown',
] as const;
export type PublicState = (typeof serviceStates)[number];

/** The states of a service that an incident may name. */
export const declaredStates = ['operational', 'degraded', 'partial_outage', 'major_outage'] as const;
export type DeclaredState = (typeof declaredStates)[number];

/** How bad an incident is for those who use the services. */
export const impacts = ['none', 'minor', 'major', 'critical'] as const;
export type Impact = (typeof impacts)[number];

/** The state of a service that an incident affects without naming its state, by the impact of the incident. */
export const stateOfImpact: Readonly<Record<Impact, DeclaredState>> = {
  none: 'operational',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
};
