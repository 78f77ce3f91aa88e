import Type, { type Static } from 'typebox';
import { limits } from '../limits.js';
import { closed, Id, nullable } from './shared.js';

export const deploymentLimits = {
  /** The oldest ones make room. */
  perPage: 10_000,
  days: 400,
  urlChars: 2_048,
} as const;

const service = 'Service, in the form of the service of an event.';
const version = 'Version of the service, such as 2.4.1 or the hash of a commit.';

/** A version that came to a service. */
export const Deployment = closed({
  id: Id,
  service: Type.String({ description: service }),
  version: Type.String({ description: version }),
  environment: nullable(Type.String({ description: 'Such as production; null for none.' })),
  at: Type.String({
    format: 'date-time',
    description:
      'When the version came: what was announced, or its first request, which may be up to an hour before the announcement.',
  }),
  announcedAt: nullable(
    Type.String({ format: 'date-time', description: 'null for a version that was only seen.' }),
  ),
  firstSeenAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'When its first request arrived; null while none has.',
    }),
  ),
  url: nullable(Type.String({ description: 'Where the deployment can be looked at.' })),
});
export type Deployment = Static<typeof Deployment>;

/** The body that announces a deployment. */
export const AnnounceDeployment = closed({
  service: Type.String({ minLength: 1, maxLength: limits.serviceChars, description: service }),
  version: Type.String({ minLength: 1, maxLength: limits.versionChars, description: version }),
  environment: Type.Optional(
    nullable(
      Type.String({
        maxLength: limits.environmentChars,
        description: 'Such as production. Requests have the same one, or none.',
      }),
    ),
  ),
  at: Type.Optional(
    nullable(
      Type.String({
        format: 'date-time',
        description: `When the version came: now when missing, at most ${deploymentLimits.days} days ago and an hour ahead.`,
      }),
    ),
  ),
  url: Type.Optional(
    nullable(
      Type.String({
        maxLength: deploymentLimits.urlChars,
        description: 'http:// or https://: the run of the job, or the release.',
      }),
    ),
  ),
});
export type AnnounceDeployment = Static<typeof AnnounceDeployment>;

export const deploymentParameters = {
  from: Type.Optional(
    Type.String({
      description:
        'First time, such as 2027-01-31T00:00:00Z, 2027-01-31 or now-7d. From the oldest on when missing.',
    }),
  ),
  to: Type.Optional(Type.String({ description: 'Time after the last; a date includes its whole day.' })),
  service: Type.Optional(Type.String({ description: 'Only those of this service.' })),
  environment: Type.Optional(Type.String({ description: 'Only those of this environment.' })),
};

/** A deployment as messages and evidence name it; `at` in ISO 8601. */
export type NamedDeployment = Pick<Deployment, 'service' | 'version' | 'environment'> & { at: string };
