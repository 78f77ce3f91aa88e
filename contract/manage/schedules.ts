import Type, { type Static } from 'typebox';
import { Line } from '../line.js';
import { closed, Id, nullable, Time } from './shared.js';

export const scheduleLimits = {
  schedules: 50,
  nameChars: 80,
  layers: 10,
  peopleOfLayer: 50,
  hoursOfLayer: 14,
  /** With more, a year of shifts would hold up the requests of others for longer than a tenth of a second. */
  hoursOfSchedule: 20,
  everyDays: 366,
  everyWeeks: 52,
  overrides: 1_000,
  /** Length of an override, and of the range of shifts that one request may ask for. */
  rangeDays: 400,
  shifts: 5_000,
  /** Bounds the shifts of a schedule that is not saved, which each change in the editor asks for. */
  previewDays: 28,
  /** Gaps of so many days to come are counted and warned of. */
  warnedDays: 28,
} as const;

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** The days that a calendar of a schedule shows: the last ones, and those to come. */
export const calendarDays = { past: 7, next: 60 } as const;

const Name = Line('line', { charsMax: scheduleLimits.nameChars });
const Email = Line('line', {
  charsMax: 254,
  description: 'Email of somebody who has a role on the page.',
});
const LocalTime = Type.String({
  maxLength: 16,
  description: 'What the clock of the time zone shows when the first person takes over: 2026-12-07T09:00.',
});
const Minute = (description: string) => Type.String({ maxLength: 5, description });

export const LayerHours = closed({
  from: Minute('HH:MM by the clock of the time zone.'),
  to: Minute('HH:MM, to 24:00; one that is not after `from` is on the next day.'),
  days: Type.Optional(
    nullable(
      Type.Array(Type.Enum([...weekdays]), {
        minItems: 1,
        maxItems: 7,
        description: 'The days on which they begin; every day when absent.',
      }),
    ),
  ),
});

export type LayerHours = Static<typeof LayerHours>;

export const HandOver = closed(
  {
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: scheduleLimits.everyDays })),
    weeks: Type.Optional(Type.Integer({ minimum: 1, maximum: scheduleLimits.everyWeeks })),
  },
  'How long each person has it: so many days, or so many weeks. The local hour of hand-over stays when the clock changes.',
);

const layerFields = {
  handoff: LocalTime,
  every: HandOver,
  hours: Type.Optional(
    nullable(
      Type.Array(LayerHours, {
        minItems: 1,
        maxItems: scheduleLimits.hoursOfLayer,
        description: `When the layer covers; always when absent. All layers together have at most ${scheduleLimits.hoursOfSchedule}.`,
      }),
    ),
  ),
};

export const ScheduleLayer = closed({
  name: Name,
  people: Type.Array(Email, {
    minItems: 1,
    maxItems: scheduleLimits.peopleOfLayer,
    description: 'In the order in which they take over from each other.',
  }),
  ...layerFields,
});
export type ScheduleLayer = Static<typeof ScheduleLayer>;

const Layers = Type.Array(ScheduleLayer, {
  maxItems: scheduleLimits.layers,
  description: 'From the lowest to the highest: the last one that covers a moment decides.',
});

/** The body that creates or replaces a schedule. Its overrides stay. */
export const PutSchedule = closed({
  name: Name,
  timeZone: Type.String({ maxLength: 80, description: 'Such as Europe/Berlin.' }),
  layers: Layers,
});
export type PutSchedule = Static<typeof PutSchedule>;

export const ChangeSchedule = closed({
  name: Type.Optional(Name),
  timeZone: Type.Optional(PutSchedule.properties.timeZone),
  layers: Type.Optional(Layers),
});
export type ChangeSchedule = Static<typeof ChangeSchedule>;

/** Somebody who is on call. */
export const PersonOnCall = closed({ email: Type.String(), name: Type.String() });
export type PersonOnCall = Static<typeof PersonOnCall>;

export const ScheduleOverride = closed({
  id: Id,
  person: PersonOnCall,
  from: Time,
  to: Time,
});
export type ScheduleOverride = Static<typeof ScheduleOverride>;

export const AddOverride = closed({
  person: Email,
  from: Type.String({ format: 'date-time', description: 'A time with a zone.' }),
  to: Type.String({
    format: 'date-time',
    description: `Still to come, and at most ${scheduleLimits.rangeDays} days after \`from\`.`,
  }),
});
export type AddOverride = Static<typeof AddOverride>;

/** A schedule: who is on call, when. */
export const ManagedSchedule = closed({
  slug: Type.String(),
  name: Type.String(),
  timeZone: Type.String(),
  layers: Type.Array(
    closed({
      name: Type.String(),
      people: Type.Array(nullable(Type.String()), {
        description: 'Emails; null keeps the turn of somebody whose account was deleted.',
      }),
      ...layerFields,
      hours: nullable(Type.Array(LayerHours)),
    }),
    { description: 'From the lowest to the highest: the last one that covers a moment decides.' },
  ),
  overrides: Type.Array(ScheduleOverride, {
    description:
      'Those that have not ended, by their begin. They beat every layer; of two, the newer one counts.',
  }),
  withoutRole: Type.Array(Type.String(), {
    description:
      'Emails of people of the layers who have no role on the page any more, or may not sign in. Their turns count as not covered.',
  }),
  gaps: Type.Integer({
    description: `How often nobody is on call within the next ${scheduleLimits.warnedDays} days.`,
  }),
  hasFeed: Type.Boolean({ description: 'Whether a calendar shows it behind a secret address.' }),
  createdAt: Time,
});
export type ManagedSchedule = Static<typeof ManagedSchedule>;

const OnCallNow = closed({
  person: PersonOnCall,
  until: nullable(
    Type.String({
      format: 'date-time',
      description: `When somebody else, or nobody, takes over; null when that is more than ${scheduleLimits.rangeDays} days ahead.`,
    }),
  ),
  layer: nullable(Type.String({ description: 'The layer that decides; null for an override.' })),
  override: nullable(Type.String({ format: 'uuid', description: 'The override that decides.' })),
});

const OnCallNext = closed({
  person: PersonOnCall,
  from: Time,
});

export const OnCall = closed({
  slug: Type.String(),
  name: Type.String(),
  at: Time,
  now: nullable(OnCallNow),
  next: nullable(OnCallNext),
});
export type OnCall = Static<typeof OnCall>;

export const Shift = closed({
  from: Time,
  to: Time,
  person: nullable(PersonOnCall),
  layer: nullable(Type.String({ description: 'The layer that decides.' })),
  override: nullable(Type.String({ format: 'uuid', description: 'The override that decides.' })),
});
export type Shift = Static<typeof Shift>;

/** The stretches that a layer covers by itself, whatever the layers above it and the overrides say. */
export const LayerCover = closed({
  name: Type.String(),
  covers: Type.Array(closed({ from: Time, to: Time, person: PersonOnCall })),
});
export type LayerCover = Static<typeof LayerCover>;

export const ScheduleShifts = closed({
  from: Time,
  to: Time,
  timeZone: Type.String(),
  layers: Type.Optional(
    Type.Array(LayerCover, {
      description: 'With `with=layers`: what each layer covers by itself, from the lowest to the highest.',
    }),
  ),
  shifts: Type.Array(Shift, {
    description:
      'Every moment of the range once, in order; `person` is null in a gap. Shifts of the past follow from the schedule as it is now.',
  }),
  gaps: Type.Integer({ description: 'How many of them are gaps.' }),
});
export type ScheduleShifts = Static<typeof ScheduleShifts>;

/** The body that asks for the shifts of a schedule that is not saved. */
export const PreviewSchedule = closed({ timeZone: PutSchedule.properties.timeZone, layers: Layers });
export type PreviewSchedule = Static<typeof PreviewSchedule>;

export const ScheduleFeed = closed({
  url: Type.String({
    description: 'The address of the calendar. Whoever knows it can read it; no later answer has it.',
  }),
});
export type ScheduleFeed = Static<typeof ScheduleFeed>;
