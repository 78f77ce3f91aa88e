import type { UpdateStatus } from '../../../../contract/incidents.js';
import type { Texts } from '../../texts.js';
import type { ShownState } from './state.js';

const en = {
  incidents: 'Incidents',
  views: 'Incidents',
  list: 'List',
  calendar: 'Maintenance calendar',
  templates: 'Templates',
  publishedBefore:
    'The first attempt was published after all, as it was then. Look at it before you publish this as well.',
  newIncident: 'Open an incident',
  newMaintenance: 'Plan maintenance',
  open: 'Open now',
  scheduled: 'Planned maintenance',
  resolved: 'Past',
  states: {
    open: 'open',
    running: 'in progress',
    scheduled: 'planned',
    resolved: 'resolved',
    completed: 'completed',
  } satisfies Record<ShownState, string>,
  statuses: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  } satisfies Record<UpdateStatus, string>,
  types: { incident: 'Incident', maintenance: 'Maintenance' },
  state: 'State',
  type: 'Type',
  all: 'All',
  allTypes: 'Both',
  typeFilters: { incident: 'Incidents', maintenance: 'Maintenance' },
  stateFilters: { open: 'Open', scheduled: 'Planned', resolved: 'Past' },
  none: 'Nothing has happened yet',
  noneWhy:
    'An incident says what is wrong, to everybody who reads the page, and to those who asked for emails. Maintenance says so beforehand.',
  noneOpen: 'No incident is open.',
  noneScheduled: 'No maintenance is planned.',
  noneResolved: 'Nothing here.',
  updates: (count: number) => (count === 1 ? '1 update' : `${count} updates`),
  since: (ago: string) => `began ${ago}`,
  lasted: (span: string) => `lasted ${span}`,
  begins: (moment: string) => `begins ${moment}`,
  until: (moment: string) => `until ${moment}`,
  by: (name: string) => `by ${name}`,
  more: (count: number) => `and ${count} more`,
};

const de: typeof en = {
  incidents: 'Störungen',
  views: 'Störungen',
  list: 'Liste',
  calendar: 'Wartungskalender',
  templates: 'Vorlagen',
  publishedBefore:
    'Der erste Versuch wurde doch veröffentlicht, so wie er damals war. Sehen Sie ihn an, bevor Sie auch dies veröffentlichen.',
  newIncident: 'Störung melden',
  newMaintenance: 'Wartung planen',
  open: 'Jetzt offen',
  scheduled: 'Geplante Wartung',
  resolved: 'Vergangen',
  states: {
    open: 'offen',
    running: 'läuft',
    scheduled: 'geplant',
    resolved: 'behoben',
    completed: 'beendet',
  },
  statuses: {
    investigating: 'Wird untersucht',
    identified: 'Ursache gefunden',
    monitoring: 'Wird beobachtet',
    resolved: 'Behoben',
  },
  types: { incident: 'Störung', maintenance: 'Wartung' },
  state: 'Zustand',
  type: 'Art',
  all: 'Alle',
  allTypes: 'Beides',
  typeFilters: { incident: 'Störungen', maintenance: 'Wartung' },
  stateFilters: { open: 'Offen', scheduled: 'Geplant', resolved: 'Vergangen' },
  none: 'Noch ist nichts passiert',
  noneWhy:
    'Von einer Störung erfahren alle, die die Seite lesen oder E-Mails abonniert haben. Von einer Wartung erfahren sie vorher.',
  noneOpen: 'Keine Störung ist offen.',
  noneScheduled: 'Keine Wartung ist geplant.',
  noneResolved: 'Hier ist nichts.',
  updates: (count: number) => (count === 1 ? '1 Meldung' : `${count} Meldungen`),
  since: (ago: string) => `begann ${ago}`,
  lasted: (span: string) => `dauerte ${span}`,
  begins: (moment: string) => `beginnt ${moment}`,
  until: (moment: string) => `bis ${moment}`,
  by: (name: string) => `von ${name}`,
  more: (count: number) => `und ${count} weitere`,
};

export const incidentsTexts: Texts<typeof en> = { en, de };
export type IncidentsTexts = typeof en;
