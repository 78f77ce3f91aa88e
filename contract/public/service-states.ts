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

/** What an incident may say of a service. */
export const declaredStates = ['operational', 'degraded', 'partial_outage', 'major_outage'] as const;
export type DeclaredState = (typeof declaredStates)[number];

/** How bad an incident is for those who use the services. */
export const impacts = ['none', 'minor', 'major', 'critical'] as const;
export type Impact = (typeof impacts)[number];

/** What the impact of an incident says of a service of which the incident says nothing itself. */
export const stateOfImpact: Readonly<Record<Impact, DeclaredState>> = {
  none: 'operational',
  minor: 'degraded',
  major: 'partial_outage',
  critical: 'major_outage',
};
