import Type, { type Static } from 'typebox';
import { PutObjective } from './objectives.js';
import { PolicyStep, PolicyTarget, PutPolicy } from './policies.js';
import { PutReportSettings } from './report-settings.js';
import { PutRule } from './rules.js';
import { PutSchedule, ScheduleLayer } from './schedules.js';
import { closed, nullable } from './shared.js';

// People whose account is deleted leave a gap in what is stored. The file has it too, so that nothing else takes its place.
const FileLayer = closed({
  ...ScheduleLayer.properties,
  people: Type.Array(nullable(Type.String()), {
    description:
      'Emails, in the order in which they take over from each other. null keeps the turn of somebody whose account was deleted, until the schedule changes.',
  }),
});

const FileSchedule = closed(
  { ...PutSchedule.properties, layers: Type.Array(FileLayer) },
  'Who is on call, when. Its overrides are not in the file.',
);
export type FileSchedule = Static<typeof FileSchedule>;

const FileStep = closed({
  ...PolicyStep.properties,
  notify: Type.Array(PolicyTarget, { description: 'People, schedules and channels.' }),
});

const FilePolicy = closed(
  { ...PutPolicy.properties, steps: Type.Array(FileStep) },
  'Whom an alert tells, one step after another.',
);
export type FilePolicy = Static<typeof FilePolicy>;

const { slug: _, ...objectiveFields } = PutObjective.properties;
const FileObjective = closed(
  objectiveFields,
  'A share of requests or of time that has to be good. It makes its burn-rate rules.',
);
export type FileObjective = Static<typeof FileObjective>;

const { slug: __, ...ruleFields } = PutRule.properties;
const FileRule = closed(ruleFields, 'When somebody is alerted. A field that is absent has its default.');
export type FileRule = Static<typeof FileRule>;

const slug = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' });

/** The sections of the file that say what alerts, and who is told. */
export const alertingSections = {
  schedules: Type.Optional(
    Type.Record(slug, FileSchedule, {
      description: 'Schedules by slug. Their people must have a role on the page.',
    }),
  ),
  policies: Type.Optional(
    Type.Record(slug, FilePolicy, {
      description: 'Policies by slug. They name people, schedules and channels.',
    }),
  ),
  objectives: Type.Optional(Type.Record(slug, FileObjective, { description: 'Objectives by slug.' })),
  rules: Type.Optional(
    Type.Record(slug, FileRule, {
      description: 'Rules by slug, in any order: those that others depend on are made first.',
    }),
  ),
  reports: Type.Optional(
    closed(
      PutReportSettings.properties,
      'Who gets reports by email, and how often. A field that is absent is off.',
    ),
  ),
};
