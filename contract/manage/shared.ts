import Type, { type TProperties } from 'typebox';

/** An object of a request or an answer: fields that it does not name are refused. */
export function closed<Props extends TProperties>(properties: Props, description?: string) {
  return Type.Object(properties, {
    additionalProperties: false,
    ...(description !== undefined && { description }),
  });
}

/** A value or null. */
export function nullable<Schema extends Type.TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

/** A time in UTC with milliseconds. */
export const Time = Type.String({ format: 'date-time' });

export const Id = Type.String({ format: 'uuid' });

/** Bound on the body of a request that runs a page, in bytes. */
export const manageBodyBytesMax = 64 * 1024;

/** How much an alert matters: `page` wakes somebody, `ticket` waits for working hours, `info` is only shown. */
export const alertSeverities = ['page', 'ticket', 'info'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];
export const AlertSeverity = Type.Enum([...alertSeverities]);

/** The name of a rule, an objective, a policy or a schedule in addresses and files. */
export const ResourceSlug = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: 60,
  description: 'Lower-case letters, digits and single hyphens',
});
