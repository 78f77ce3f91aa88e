import { normalizeEnvironment, normalizeService, normalizeVersion } from '../../lib/event-fields.js';
import { parseJson } from '../../lib/parse-body.js';
import { decode, type Message, type Schema } from '../../lib/protobuf/decode.js';
import { ServiceError } from '../../lib/service-error.js';
import type { SentRelease } from '../names/version-registry.js';

/** The signals of OpenTelemetry that are read. */
export const signals = ['traces', 'metrics'] as const;
export type Signal = (typeof signals)[number];

/** How a body is encoded. */
export type Encoding = 'json' | 'protobuf';

/**
 * Reads a body as an object of the form that its JSON has. Values of JSON may be of any type; use the functions below.
 *
 * @param noteObjects gets how many objects and lists the body has, as far as it was read. Called once, before an error,
 *   too: a body that breaks at its end takes as long as a right one.
 * @throws ServiceError `bodyNotJson`, `bodyNotProtobuf`, `invalidBody` when it is no object.
 */
export function readTree(
  body: Buffer,
  encoding: Encoding,
  schema: Schema,
  noteObjects: (count: number) => void = () => {},
): Message {
  if (encoding === 'protobuf') return decode(body, schema, noteObjects);
  noteObjects(countBrackets(body));
  const tree = parseJson(body);
  if (!isObject(tree)) throw new ServiceError('invalidBody', { message: 'The body must be an object.' });
  return tree;
}

/** Counts what opens an object or a list. Brackets in texts count, too: there are few. */
function countBrackets(body: Buffer): number {
  let count = 0;
  for (const byte of body) if (byte === 0x7b || byte === 0x5b) count += 1;
  return count;
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nothing: Message = {};

/** Returns an object; an empty one for any other value. */
export function objectOf(value: unknown): Message {
  return isObject(value) ? value : nothing;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Ids are bytes in protobuf, and in JSON texts of hexadecimal digits, of either case. */
export function hexOf(value: unknown): string | undefined {
  return Buffer.isBuffer(value) ? value.toString('hex') : textOf(value)?.toLowerCase();
}

/** 64-bit numbers are texts in JSON. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && !Number.isNaN(number) ? number : undefined;
}

/** Nanoseconds since the epoch, exactly. */
export function nanosecondsOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string') return /^\d{1,20}$/.test(value) ? BigInt(value) : undefined;
  return Number.isInteger(value) && (value as number) >= 0 ? BigInt(value as number) : undefined;
}

/** Milliseconds since the epoch, with a fraction; `undefined` when the value is missing or 0. */
export function millisecondsOf(value: unknown): number | undefined {
  const nanoseconds = nanosecondsOf(value);
  return nanoseconds === undefined || nanoseconds === 0n ? undefined : Number(nanoseconds) / 1e6;
}

/** The last time of a Date, in nanoseconds. */
const timeMax = 8_640_000_000_000_000n * 1_000_000n;

/** An ISO-8601 time; `undefined` when the value is missing or 0, which OTLP does not tell apart. */
export function timeOf(value: unknown): string | undefined {
  const nanoseconds = nanosecondsOf(value);
  if (nanoseconds === undefined || nanoseconds === 0n) return undefined;
  if (nanoseconds > timeMax) return 'out of range';
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}

/** SPAN_KIND_INTERNAL and others; JSON has numbers for enumerations, and some senders names. */
export const spanKinds = {
  internal: new Set<unknown>([1, 'SPAN_KIND_INTERNAL']),
  server: new Set<unknown>([2, 'SPAN_KIND_SERVER']),
  consumer: new Set<unknown>([5, 'SPAN_KIND_CONSUMER']),
} as const;
/** STATUS_CODE_ERROR. */
const errorCodes: ReadonlySet<unknown> = new Set([2, 'STATUS_CODE_ERROR']);

/** Whether the status of a span is an error. */
export const endedInError = (span: Message): boolean => errorCodes.has(objectOf(span['status'])['code']);

/** Attributes of a span, a data point or a resource, by their keys. */
export class Attributes {
  private readonly values = new Map<string, Message>();

  constructor(attributes: unknown) {
    for (const attribute of listOf(attributes)) {
      const { key, value } = objectOf(attribute);
      if (typeof key === 'string') this.values.set(key, objectOf(value));
    }
  }

  /** The first of their keys. */
  keys(count: number): string[] {
    return [...this.values.keys()].slice(0, count);
  }

  /** The texts, numbers and flags by their keys, without these; `undefined` when there are none. */
  scalars(without: readonly string[]): Record<string, string | number | boolean> | undefined {
    const found: Record<string, string | number | boolean> = {};
    for (const [key, { stringValue, boolValue, intValue, doubleValue }] of this.values) {
      const value = textOf(stringValue) ?? boolValue ?? numberOf(intValue) ?? numberOf(doubleValue);
      const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      if (isScalar && !without.includes(key)) found[key] = value;
    }
    return Object.keys(found).length === 0 ? undefined : found;
  }

  /** Whether this attribute is true. */
  isTrue(key: string): boolean {
    const { boolValue, stringValue } = this.values.get(key) ?? nothing;
    return boolValue === true || stringValue === 'true';
  }

  /** The text of the first of these attributes that is one and is not blank. */
  text(...keys: readonly string[]): string | undefined {
    for (const key of keys) {
      const text = textOf(this.values.get(key)?.['stringValue']);
      if (text !== undefined && text.trim() !== '') return text;
    }
    return undefined;
  }

  /** The number of the first of these attributes that is one; some senders write numbers as texts. */
  number(...keys: readonly string[]): number | undefined {
    for (const key of keys) {
      const { intValue, doubleValue, stringValue } = this.values.get(key) ?? nothing;
      const number = numberOf(intValue) ?? numberOf(doubleValue) ?? numberOf(stringValue);
      if (number !== undefined) return number;
    }
    return undefined;
  }
}

/** The attributes of HTTP that count, in the semantic conventions since 1.23 and in those before. */
export const httpKeys = {
  method: ['http.request.method', 'http.method'],
  status: ['http.response.status_code', 'http.status_code'],
} as const;

/** The endpoint of requests that no route has matched. */
export const unmatched = 'unmatched';

/** The method of a request as an event has it; `undefined` without one. `_OTHER` is any that the sender does not know. */
export function methodOf(attributes: Attributes): string | undefined {
  const method = attributes.text(...httpKeys.method);
  return method === '_OTHER' ? otherMethod : method;
}

export const otherMethod = 'OTHER';

/**
 * Name of the service of a resource; `undefined` becomes the service `Unassigned`. Normalised here, once for all requests
 * of the resource: a name of a megabyte takes 2 ms.
 */
export function serviceOfResource(resource: unknown): string | undefined {
  return normalizeService(new Attributes(objectOf(resource)['attributes']).text('service.name'));
}

/**
 * Whether a data point of this resource without a status is a failure. The instrumentations of Python know the status from
 * the moment when an answer begins, so they have none when the handler has thrown before.
 */
export function failsWithoutStatus(resource: unknown): boolean {
  return new Attributes(objectOf(resource)['attributes']).text('telemetry.sdk.language') === 'python';
}

/** The version of a resource and its environment; `undefined` when it names no version. */
export function releaseOfResource(resource: unknown): SentRelease | undefined {
  const attributes = new Attributes(objectOf(resource)['attributes']);
  const version = normalizeVersion(attributes.text('service.version'));
  const environment = attributes.text('deployment.environment.name', 'deployment.environment');
  return version === undefined ? undefined : { version, environment: normalizeEnvironment(environment) };
}
