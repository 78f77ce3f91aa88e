import Type, { type Static } from 'typebox';
import { httpDefaults, httpMethods, monitorDefaults, monitorKinds, monitorLimits } from '../monitors.js';
import { closed } from './shared.js';

/** A text that is in a variable of the environment of `heartline apply`. */
const Variable = closed({
  env: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$', description: 'Name of the variable.' }),
});
export type Variable = Static<typeof Variable>;

/** A text that the file has itself, or that a variable has. */
export const secret = (description: string) =>
  Type.Union([Type.String(), Variable], {
    description: `${description} {env: NAME} takes it from the environment.`,
  });

const limits = monitorLimits;

/** A monitor in the file of `heartline apply`. */
export const FileMonitor = closed(
  {
    type: Type.Enum([...monitorKinds], { description: 'Cannot be changed.' }),
    name: Type.String({ minLength: 1, maxLength: 200, description: 'In the default language of the page.' }),
    names: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Names in other languages of the page.',
      }),
    ),
    group: Type.Optional(
      Type.String({ description: 'Slug of its group; without one it stands in front of the groups.' }),
    ),
    hidden: Type.Optional(Type.Boolean({ description: 'Not shown in public; false when absent.' })),
    description: Type.Optional(
      Type.String({ maxLength: limits.descriptionChars, description: 'For visitors, on one line.' }),
    ),
    descriptions: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: 'Descriptions in other languages of the page.',
      }),
    ),
    link: Type.Optional(Type.String({ description: 'Where visitors find the service.' })),
    dependsOn: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: limits.dependencies,
        description: 'Slugs of monitors: while one of them is down, alerts about this one are held back.',
      }),
    ),
    url: Type.Optional(secret('For http and tcp: https://…, http://… or tcp://HOST:PORT.')),
    everySeconds: Type.Optional(
      Type.Integer({
        minimum: limits.everySecondsMin,
        maximum: limits.everySecondsMax,
        description: `From one check to the next; ${monitorDefaults.everySeconds} when absent.`,
      }),
    ),
    failuresToDown: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.failuresToDownMax,
        description: `Failures in a row after which it is down; ${monitorDefaults.failuresToDown} when absent.`,
      }),
    ),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: limits.timeoutMsMin,
        maximum: limits.timeoutMsMax,
        description: `For http and tcp, of a whole check; ${monitorDefaults.timeoutMs} when absent.`,
      }),
    ),
    degradedOverMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.timeoutMsMax,
        description: 'For http and tcp: a check that takes longer is slow; none when absent or 0.',
      }),
    ),
    method: Type.Optional(
      Type.Enum([...httpMethods], { description: `For http; ${httpDefaults.method} when absent.` }),
    ),
    expectStatus: Type.Optional(
      Type.String({
        description: `For http, such as 200-299,404; ${httpDefaults.expectStatus} when absent.`,
      }),
    ),
    expectBody: Type.Optional(
      Type.String({
        maxLength: limits.expectBodyChars,
        description: 'For http: must be in the first 64 KiB of the answer.',
      }),
    ),
    tlsExpiryDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.tlsExpiryDaysMax,
        description: 'For http: fail when the certificate ends within so many days.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), secret('Value of the header.'), {
        description: 'For http: headers of the request by name. Those that are set stay when this is absent.',
      }),
    ),
    body: Type.Optional(
      secret('For http: body of the request. The one that is set stays when this is absent; "" removes it.'),
    ),
    periodSeconds: Type.Optional(
      Type.Integer({
        minimum: limits.periodSecondsMin,
        maximum: limits.periodSecondsMax,
        description: 'For heartbeat: how often the job calls its address.',
      }),
    ),
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.graceSecondsMax,
        description: `For heartbeat: how late a call may be; ${monitorDefaults.graceSeconds} when absent.`,
      }),
    ),
  },
  'A monitor. A setting that is absent has its default.',
);
export type FileMonitor = Static<typeof FileMonitor>;
