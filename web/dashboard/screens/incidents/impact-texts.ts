import type { DeclaredState, Impact } from '../../../../contract/public/service-states.js';
import type { Texts } from '../../texts.js';

const en = {
  impact: 'Impact',
  impactWhy:
    'How bad it is for those who use the services. The page shows the worse of this and what monitors see.',
  notSaid: 'Not said',
  impacts: {
    none: 'None: people notice nothing',
    minor: 'Minor: services are degraded',
    major: 'Major: services are partly down',
    critical: 'Critical: services are down',
  } satisfies Record<Impact, string>,
  ownStates: 'States of its monitors',
  stateOf: (monitor: string) => `State of ${monitor}`,
  asMonitored: 'As its monitor sees it',
  asImpact: (state: string) => `As the impact says: ${state}`,
  states: {
    operational: 'operational',
    degraded: 'degraded',
    partial_outage: 'partly down',
    major_outage: 'down',
  } satisfies Record<DeclaredState, string>,
};

const de: typeof en = {
  impact: 'Auswirkung',
  impactWhy:
    'Wie schlimm es für die ist, die die Dienste nutzen. Die Seite zeigt, was schlimmer ist: dies oder was die Monitore sehen.',
  notSaid: 'Keine Angabe',
  impacts: {
    none: 'Keine: niemand bemerkt etwas',
    minor: 'Gering: Dienste sind beeinträchtigt',
    major: 'Groß: Dienste sind teilweise ausgefallen',
    critical: 'Kritisch: Dienste sind ausgefallen',
  },
  ownStates: 'Zustände seiner Monitore',
  stateOf: (monitor: string) => `Zustand von ${monitor}`,
  asMonitored: 'Wie ihn der Monitor sieht',
  asImpact: (state: string) => `Wie die Auswirkung sagt: ${state}`,
  states: {
    operational: 'in Ordnung',
    degraded: 'beeinträchtigt',
    partial_outage: 'teilweise ausgefallen',
    major_outage: 'ausgefallen',
  },
};

export const impactTexts: Texts<typeof en> = { en, de };
export type ImpactTexts = typeof en;
