import type { MaintenanceState, UpdateStatus } from '../../contract/incidents.js';

/**
 * The fixed texts of the views. In a text, `{time}` and the like stand for elements; a function takes what a language
 * must place or count.
 */
export type ViewTexts = {
  language: string;
  skip: string;
  themeAuto: string;
  themeLight: string;
  themeDark: string;
  languages: string;
  currentStatus: string;
  poweredBy: (product: string) => string;
  /** For screen readers, when an open view has changed by itself. */
  changed: string;
  overall: {
    up: string;
    down: (down: number, total: number) => string;
    incident: (open: number) => string;
    maintenance: (running: number) => string;
    paused: string;
    empty: string;
    waiting: string;
    stale: string;
  };
  overallHint: { paused: string; empty: string; waiting: string; stale: string };
  lastChecked: string;
  services: string;
  serviceState: {
    up: string;
    down: string;
    maintenance: string;
    paused: string;
    never: string;
    stale: string;
  };
  uptime: (percent: string) => string;
  responseTime: string;
  responseTimePerDay: string;
  average: (ms: string) => string;
  day: { good: string; down: string; failed: string; unmeasured: string };
  legend: { good: string; down: string; failed: string; unmeasured: string };
  bars: { good: (days: number) => string; down: (days: number, downDays: number) => string };
  unmeasuredDays: (days: number) => string;
  happeningNow: string;
  planned: string;
  past: string;
  type: { incident: string; maintenance: string };
  updateStatus: Record<UpdateStatus, string>;
  maintenanceState: Record<MaintenanceState, string>;
  /** For maintenance that was ended before it began. */
  calledOff: string;
  ongoing: string;
  affects: (names: string) => string;
  began: string;
  /** For what is over. */
  span: string;
  openSpan: string;
  lasted: (duration: string) => string;
  allUpdates: (updates: number) => string;
  noIncidents: string;
  noIncidentsIn: (days: number) => string;
  /** While an incident is open, which is shown elsewhere. */
  noOtherIncidentsIn: (days: number) => string;
  history: string;
  fullHistory: string;
  historyEmpty: string;
  historyOf: (month: string) => string;
  earlier: string;
  later: string;
  timeline: string;
  noUpdates: string;
  notFoundTitle: string;
  notFoundText: string;
  /** While the page cannot be loaded, whatever the state of its services. */
  unavailableTitle: string;
  unavailableText: string;
  tryAgain: string;
  subscribe: string;
  subscribeTitle: string;
  subscribeText: string;
  email: string;
  emailNote: string;
  otherWays: string;
  feeds: string;
  webhooks: string;
  sentTitle: string;
  sentText: string;
  refusedTitle: string;
  refusedText: string;
  busyText: string;
};
