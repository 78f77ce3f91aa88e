import type { MaintenanceState, UpdateStatus } from '../../contract/incidents.js';

/** Sentences about services that are not as they should be: so many of all of them, or with their names. */
type TroubleTexts = {
  some: (count: number, total: number) => string;
  named: (names: string, count: number) => string;
};

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
  /** Name of the navigation at the top of a view. */
  statusPage: string;
  languages: string;
  currentStatus: string;
  poweredBy: (product: string) => string;
  /** For screen readers, when an open view has changed by itself. */
  changed: string;
  overall: {
    /** All, or those of them that are known to be up. */
    up: (up: number, total: number) => string;
    down: TroubleTexts;
    partial: TroubleTexts;
    degraded: TroubleTexts;
    /** `{state}` is the sentence about a service that is not as it should be. */
    since: string;
    incident: (open: number) => string;
    maintenance: (running: number) => string;
    paused: string;
    empty: string;
    waiting: string;
    stale: string;
  };
  /** `partly`: some services are up, and nothing recent is known of the others. */
  overallHint: { paused: string; empty: string; waiting: string; stale: string; partly: string };
  /** `{name}` is a service that is down, or the word for an incident that continues. */
  serviceSince: string;
  andMore: (count: number) => string;
  /** The planned end of a maintenance. */
  until: string;
  lastChecked: string;
  services: string;
  serviceState: {
    up: string;
    degraded: string;
    partial: string;
    down: string;
    maintenance: string;
    paused: string;
    /** Neither up nor down yet. */
    unknown: string;
    /** A job that has not called its address yet. */
    waiting: string;
    stale: string;
  };
  /** Since when a service answers too slowly. */
  slowSince: string;
  /** With the time that it is measured over: a number of days, or since a day. */
  uptime: {
    over: (percent: string, days: number) => string;
    since: (percent: string, day: string) => string;
  };
  /** In place of the uptime of a service that was observed for less than a day. */
  soFar: { good: (day: string) => string; down: (duration: string, day: string) => string };
  responseTime: string;
  chart: { ranges: string; average: string; p95: string; nothing: string };
  day: { good: string; down: string; degraded: string; failed: string; unmeasured: string };
  legend: { good: string; down: string; degraded: string; failed: string; unmeasured: string };
  lastDays: (days: number) => string;
  since: (day: string) => string;
  /** For a time such as `lastDays` or `since` names it. */
  bars: { good: (time: string) => string; down: (time: string, downDays: number) => string };
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
  /** The pages of a month; `name` is for screen readers. */
  pages: { name: string; current: (page: number, pages: number) => string; older: string; newer: string };
  timeline: string;
  /** What was learned from an incident. */
  postmortem: string;
  noUpdates: string;
  notFoundTitle: string;
  notFoundText: string;
  /** What somebody sees who may not read a private page. */
  privatePage: {
    title: string;
    askPassword: string;
    noPassword: string;
    password: string;
    open: string;
    wrong: string;
    busy: string;
    signIn: string;
  };
  /** While the page cannot be loaded, whatever the state of its services. */
  unavailableTitle: string;
  unavailableText: string;
  tryAgain: string;
  subscribe: string;
  subscribeTitle: string;
  subscribeText: string;
  /** In place of it where no email is sent. */
  followText: string;
  /** The answer to an address where no email is sent. */
  noMailText: string;
  email: string;
  emailNote: string;
  otherWays: string;
  feeds: string;
  /** A feed with an entry for each update. */
  feedPerUpdate: string;
  webhooks: string;
  sentTitle: string;
  sentText: string;
  refusedTitle: string;
  refusedText: string;
  busyText: string;
};
