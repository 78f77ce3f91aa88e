import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { httpMethods, monitorDefaults, monitorKinds, monitorLimits } from '../monitors.js';
import { closed, Id, nullable, Time } from './shared.js';

const limits = monitorLimits;

const Names = Type.Record(Type.String(), Type.String(), {
  description: 'Names in other languages of the page, by language.',
});
const Descriptions = Type.Record(Type.String(), Type.String(), {
  description: 'Descriptions in other languages of the page, by language.',
});
const State = nullable(
  Type.Enum(['up', 'down'], { description: 'null until a check has passed, or enough have failed.' }),
);

/** The fields of the target, of which each kind has its own. */
const targetFields = {
  method: Type.Optional(Type.Enum([...httpMethods])),
  expectStatus: Type.Optional(Type.String({ description: 'Statuses that pass, such as 200-299,404.' })),
  expectBody: Type.Optional(nullable(Type.String({ description: 'Text that the answer must contain.' }))),
  tlsExpiryDays: Type.Optional(
    nullable(Type.Integer({ description: 'A certificate that ends within so many days is a failure.' })),
  ),
  periodSeconds: Type.Optional(Type.Integer({ description: 'How often the job calls its address.' })),
  graceSeconds: Type.Optional(Type.Integer({ description: 'How late a call may be.' })),
};

/** A monitor as lists and answers show it. Headers and body of its requests appear nowhere. */
export const ManagedMonitor = closed({
  id: Id,
  slug: Type.String(),
  name: Type.String({ description: 'In the default language of the page.' }),
  names: Names,
  group: nullable(
    Type.String({ description: 'Slug of the group that the page shows it in; null for none.' }),
  ),
  type: Type.Enum([...monitorKinds]),
  url: nullable(Type.String({ description: 'null for a heartbeat, and for a service without checks.' })),
  hidden: Type.Boolean({ description: 'Whether visitors do not see it.' }),
  description: Type.String({
    description: 'For visitors, in the default language of the page; empty for none.',
  }),
  descriptions: Descriptions,
  link: nullable(Type.String({ description: 'Where visitors find the service.' })),
  dependsOn: Type.Array(Type.String(), {
    description: 'Slugs of monitors: while one of them is down, alerts about this one are held back.',
  }),
  everySeconds: Type.Optional(
    Type.Integer({ description: 'From one check to the next; absent for a service without checks.' }),
  ),
  timeoutMs: Type.Optional(Type.Integer({ description: 'Time limit of a whole check; of http and tcp.' })),
  failuresToDown: Type.Optional(
    Type.Integer({
      description:
        'Failures in a row after which it is down, and slow checks in a row after which it is degraded.',
    }),
  ),
  degradedOverMs: Type.Optional(
    nullable(Type.Integer({ description: 'A check that takes longer is slow; of http and tcp.' })),
  ),
  ...targetFields,
  hasSecrets: Type.Optional(
    Type.Boolean({ description: 'Whether its requests send headers or a body; of http alone.' }),
  ),
  lastPingAt: Type.Optional(nullable(Time)),
  createdAt: Time,
  pausedAt: nullable(Time),
  state: State,
  stateSince: nullable(Time),
  degradedSince: nullable(Time),
  lastCheckedAt: nullable(Time),
  lastError: nullable(Type.String({ description: 'A class, a colon and a sentence.' })),
  unobservedSince: nullable(Time),
  nextDueAt: nullable(Time),
});
export type ManagedMonitor = Static<typeof ManagedMonitor>;

const MonitorName = Line('markedLine', {
  description: '1 to 200 characters on one line, in the default language of the page.',
});
const SentNames = Type.Record(Type.String(), Line('markedLineOrNothing'), {
  description: 'Names in other languages of the page, by language.',
});
const SentDescriptions = Type.Record(Type.String(), Line('titleOrNothing'), {
  description: 'Descriptions in other languages of the page, by language.',
});
const Header = closed({ name: Type.String({ minLength: 1 }), value: Type.String() });

const Group = Type.Optional(
  nullable(Type.String({ description: 'Slug of a group of the page, at whose end it goes; null for none.' })),
);

/** Settings that have a default, which null stands for. Their ranges are checked where they are stored. */
const settings = {
  everySeconds: Type.Optional(
    nullable(
      Type.Integer({
        description: `${limits.everySecondsMin} to ${limits.everySecondsMax}; the default is ${monitorDefaults.everySeconds}.`,
      }),
    ),
  ),
  failuresToDown: Type.Optional(
    nullable(
      Type.Integer({
        description: `1 to ${limits.failuresToDownMax}; the default is ${monitorDefaults.failuresToDown}.`,
      }),
    ),
  ),
  timeoutMs: Type.Optional(
    nullable(
      Type.Integer({
        description: `For http and tcp: ${limits.timeoutMsMin} to ${limits.timeoutMsMax}; the default is ${monitorDefaults.timeoutMs}.`,
      }),
    ),
  ),
  degradedOverMs: Type.Optional(
    nullable(
      Type.Integer({
        description:
          'For http and tcp: a check that takes longer is slow; at most the timeout. None is by default.',
      }),
    ),
  ),
  method: Type.Optional(
    nullable(Type.Enum([...httpMethods], { description: 'For http; the default is GET.' })),
  ),
  expectStatus: Type.Optional(
    nullable(Type.String({ description: 'For http, such as 200-299,404; the default is 200-299.' })),
  ),
  expectBody: Type.Optional(
    nullable(
      Type.String({
        description: `For http: must be in the first 64 KiB of the answer; at most ${limits.expectBodyChars} characters.`,
      }),
    ),
  ),
  tlsExpiryDays: Type.Optional(
    nullable(
      Type.Integer({
        description: `For http: the certificate must be valid for more days, at most ${limits.tlsExpiryDaysMax}.`,
      }),
    ),
  ),
  headers: Type.Optional(
    nullable(
      Type.Array(Header, {
        description: 'For http: headers of the request, in place of all others. No answer shows them.',
      }),
    ),
  ),
  body: Type.Optional(
    nullable(Type.String({ description: 'For http: body of the request. No answer shows it.' })),
  ),
  graceSeconds: Type.Optional(
    nullable(
      Type.Integer({
        description: `For heartbeat: 0 to ${limits.graceSecondsMax}; the default is ${monitorDefaults.graceSeconds}.`,
      }),
    ),
  ),
};
/** Settings that visitors see; every kind has them. */
const shown = {
  hidden: Type.Optional(nullable(Type.Boolean({ description: 'Not shown in public; false by default.' }))),
  description: Type.Optional(
    nullable(
      Line('titleOrNothing', {
        description: `For visitors: at most ${limits.descriptionChars} characters, on one line.`,
      }),
    ),
  ),
  link: Type.Optional(
    nullable(Type.String({ description: 'Where visitors find the service: https://… or http://….' })),
  ),
};
const DependsOn = Type.Optional(
  nullable(
    Type.Array(Type.String(), {
      maxItems: limits.dependencies,
      description:
        'Slugs of monitors of the page: while one of them is down, alerts about this one are held back. None is by default.',
    }),
  ),
);
const period = {
  description: `For heartbeat: how often the job calls its address, ${limits.periodSecondsMin} to ${limits.periodSecondsMax}.`,
};
const url = { description: 'For http and tcp: https://…, http://… or tcp://HOST:PORT.' };

const wholeFields = {
  type: Type.Enum([...monitorKinds], { description: 'Cannot be changed.' }),
  name: MonitorName,
  names: Type.Optional(nullable(SentNames)),
  group: Group,
  url: Type.Optional(nullable(Type.String(url))),
  periodSeconds: Type.Optional(nullable(Type.Integer(period))),
  ...settings,
  ...shown,
  dependsOn: DependsOn,
  descriptions: Type.Optional(nullable(SentDescriptions)),
};

export const CreateMonitor = closed({
  slug: Type.String({ description: '1 to 63 of the characters a-z, 0-9 and "-". Cannot be changed.' }),
  ...wholeFields,
});

/** Settings that are absent go back to their defaults; headers and body that are absent stay. */
export const PutMonitor = closed({
  slug: Type.Optional(Type.String({ description: 'The slug of the path, if given.' })),
  ...wholeFields,
});
export type PutMonitor = Static<typeof PutMonitor>;

/** null stands for the default, for no text, and in `names` for no name in that language. */
export const ChangeMonitor = closed({
  name: Type.Optional(MonitorName),
  names: Type.Optional(nullable(Type.Record(Type.String(), nullable(Line('markedLineOrNothing'))))),
  group: Group,
  url: Type.Optional(Type.String(url)),
  periodSeconds: Type.Optional(Type.Integer(period)),
  ...settings,
  ...shown,
  dependsOn: DependsOn,
  descriptions: Type.Optional(nullable(Type.Record(Type.String(), nullable(Line('titleOrNothing'))))),
});
export type ChangeMonitor = Static<typeof ChangeMonitor>;

/** Settings to try before anybody saves them. */
export const TrialOfMonitor = closed({
  type: Type.Enum([...monitorKinds], { description: 'http or tcp: the others make no requests.' }),
  slug: Type.Optional(
    Type.String({
      description:
        'A monitor of the page, whose headers and body the trial uses where it has none of its own. Only for its own server.',
    }),
  ),
  url: Type.Optional(nullable(Type.String(url))),
  periodSeconds: Type.Optional(nullable(Type.Integer(period))),
  ...settings,
});

export const CreatedMonitor = closed({
  ...ManagedMonitor.properties,
  url: nullable(
    Type.String({
      description: 'The address that the job calls; only in the answer that created the heartbeat.',
    }),
  ),
});
export type CreatedMonitor = Static<typeof CreatedMonitor>;
