import { pluralIn } from './plural.js';
import type { ViewTexts } from './view-texts.js';

const plural = pluralIn('en');

export const en: ViewTexts = {
  language: 'en',
  skip: 'Skip to the status',
  themeAuto: 'Theme: as in the system',
  themeLight: 'Theme: light',
  themeDark: 'Theme: dark',
  statusPage: 'Status page',
  languages: 'Languages',
  currentStatus: 'Current status',
  poweredBy: (product) => `Powered by ${product}`,
  changed: 'The status has changed: {state}',
  overall: {
    up: (up, total) => {
      if (up === total) return 'All services are up';
      return plural(up, {
        one: `${up} of ${total} services is up`,
        other: `${up} of ${total} services are up`,
      });
    },
    down: {
      some: (count, total) => {
        if (total === 1) return 'The service is down';
        if (count === total) return 'All services are down';
        return plural(count, {
          one: `${count} of ${total} services is down`,
          other: `${count} of ${total} services are down`,
        });
      },
      named: (names, count) => (count === 1 ? `${names} is down` : `${names} are down`),
    },
    partial: {
      some: (count, total) => {
        if (total === 1) return 'The service is partly down';
        if (count === total) return 'All services are partly down';
        return plural(count, {
          one: `${count} of ${total} services is partly down`,
          other: `${count} of ${total} services are partly down`,
        });
      },
      named: (names, count) => (count === 1 ? `${names} is partly down` : `${names} are partly down`),
    },
    degraded: {
      some: (count, total) => {
        if (total === 1) return 'The service is degraded';
        if (count === total) return 'All services are degraded';
        return plural(count, {
          one: `${count} of ${total} services is degraded`,
          other: `${count} of ${total} services are degraded`,
        });
      },
      named: (names, count) => (count === 1 ? `${names} is degraded` : `${names} are degraded`),
    },
    since: '{state}, since {time}',
    incident: (open) =>
      plural(open, { one: 'We are working on an incident', other: `We are working on ${open} incidents` }),
    maintenance: () => 'Maintenance is under way',
    paused: 'Monitoring is paused',
    empty: 'Nothing is monitored yet',
    waiting: 'Nothing is known yet',
    stale: 'There are no recent measurements',
  },
  overallHint: {
    paused: 'What is shown below was last known before the pause.',
    empty: 'Services will appear here with their first check.',
    waiting: 'This page shows the first results by itself.',
    stale: 'What is shown below was last known, and may have changed since.',
    partly: 'Of the others, the current state is not known.',
  },
  serviceSince: '{name} since {time}',
  andMore: (count) => `and ${count} more`,
  until: 'until {time}',
  lastChecked: 'Last checked {time}',
  services: 'Services',
  serviceState: {
    up: 'Up',
    degraded: 'Degraded',
    partial: 'Partly down',
    down: 'Down',
    maintenance: 'Maintenance',
    paused: 'Paused',
    unknown: 'Not known yet',
    waiting: 'Waiting for the first call',
    stale: 'No recent check',
  },
  slowSince: 'Slow responses since {time}',
  uptime: {
    over: (percent, days) => `${percent} uptime in ${days} days`,
    since: (percent, day) => `${percent} uptime since ${day}`,
  },
  soFar: {
    good: (day) => `No downtime since ${day}`,
    down: (duration, day) => `${duration} down since ${day}`,
  },
  responseTime: 'Response time',
  chart: {
    ranges: 'Time range',
    average: 'Average {ms}',
    p95: '95th percentile {ms}',
    nothing: 'Nothing was measured in this time.',
  },
  day: {
    good: 'No downtime',
    down: '{duration} down',
    degraded: 'degraded for {duration}',
    failed: '{rate} of checks failed',
    unmeasured: 'Not measured',
  },
  legend: {
    good: 'No downtime',
    degraded: 'Degraded',
    failed: 'Failed checks',
    down: 'Downtime',
    unmeasured: 'Not measured',
  },
  lastDays: (days) => plural(days, { one: 'Last day', other: `Last ${days} days` }),
  since: (day) => `Since ${day}`,
  bars: {
    good: (time) => `${time}: no downtime`,
    down: (time, downDays) =>
      plural(downDays, {
        one: `${time}: downtime on one day`,
        other: `${time}: downtime on ${downDays} days`,
      }),
  },
  unmeasuredDays: (days) =>
    plural(days, { one: 'one day was not measured', other: `${days} days were not measured` }),
  happeningNow: 'Happening now',
  planned: 'Planned maintenance',
  past: 'Past incidents',
  type: { incident: 'Incident', maintenance: 'Maintenance' },
  updateStatus: {
    investigating: 'Investigating',
    identified: 'Identified',
    monitoring: 'Monitoring',
    resolved: 'Resolved',
  },
  maintenanceState: { scheduled: 'Planned', in_progress: 'Under way', completed: 'Completed' },
  calledOff: 'Called off',
  ongoing: 'Ongoing',
  affects: (names) => `Affects ${names}`,
  began: 'Began {time}',
  span: '{from} – {to}',
  openSpan: 'From {from}, end open',
  lasted: (duration) => `Lasted ${duration}`,
  allUpdates: (updates) => plural(updates, { one: 'See the update', other: `See all ${updates} updates` }),
  noIncidents: 'No incidents reported',
  noIncidentsIn: (days) => `No incidents reported in the last ${days} days.`,
  noOtherIncidentsIn: (days) => `No other incidents reported in the last ${days} days.`,
  history: 'Incident history',
  fullHistory: 'See the whole history',
  historyEmpty: 'No incidents reported in this month.',
  historyOf: (month) => `Incident history, ${month}`,
  earlier: 'Earlier',
  later: 'Later',
  pages: {
    name: 'Pages of this month',
    current: (page, pages) => `Page ${page} of ${pages}`,
    older: 'Older incidents',
    newer: 'Newer incidents',
  },
  timeline: 'Timeline',
  postmortem: 'Postmortem',
  noUpdates: 'No updates were posted.',
  notFoundTitle: 'There is nothing at this address',
  notFoundText: 'The link may be incomplete, or what it led to is gone.',
  privatePage: {
    title: 'This status page is private',
    askPassword: 'Enter its password, or sign in if you run it.',
    noPassword: 'It can be read from certain networks, and by those who run it.',
    password: 'Password',
    open: 'Open the page',
    wrong: 'That is not the password.',
    busy: 'Too many passwords were tried. Please wait a quarter of an hour.',
    signIn: 'Sign in to the dashboard',
  },
  unavailableTitle: 'The status page cannot be shown right now',
  unavailableText: 'That says nothing about the services themselves. Please try again in a moment.',
  tryAgain: 'Try again',
  subscribe: 'Subscribe',
  subscribeTitle: 'Hear about it first',
  subscribeText: 'An email whenever an incident is reported or maintenance is planned.',
  followText: 'Follow incidents and maintenance by feed, in a chat or by webhook.',
  noMailText: 'This page sends no email. Subscribe a chat, or follow a feed.',
  email: 'Email address',
  emailNote: 'You will first be asked to confirm. Every email has a link to unsubscribe.',
  otherWays: 'Other ways',
  feeds: 'Feeds',
  feedPerUpdate: 'RSS, each update',
  webhooks: 'For signed webhooks, ask whoever runs this page to add your address.',
  sentTitle: 'Check your mail',
  sentText:
    'If the address can be subscribed, a link is on its way to it. Open the link to confirm the subscription.',
  refusedTitle: 'That did not work',
  refusedText: 'Please check the email address and try again.',
  busyText: 'There have been many sign-ups. Please try again in an hour.',
};
