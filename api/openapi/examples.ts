import type { TSchema } from 'typebox';
import { findSchema } from './schemas.js';

/** A request shows what one has to send; an answer shows all of its fields. */
type Direction = 'request' | 'answer';

/** The keywords that examples follow from. */
type Keywords = {
  $ref?: string;
  examples?: readonly unknown[];
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly TSchema[];
  oneOf?: readonly TSchema[];
  allOf?: readonly TSchema[];
  type?: string | readonly string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  items?: TSchema;
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  required?: readonly string[];
};

/**
 * A value that a schema takes: its first keyword `examples`, or one that is made of those of its parts. The names of
 * fields say what texts are like, so that few schemas need an example of their own. A test holds that the schemas take
 * these values, and that the service takes those of requests.
 */
export function exampleOf(schema: unknown, direction: Direction = 'answer', name = ''): unknown {
  const keywords = schema as Keywords;
  const { $ref, examples, const: only, enum: values, anyOf, oneOf, allOf, type } = keywords;
  if (examples?.[0] !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(findSchema($ref) ?? {}, direction, name);
  if (only !== undefined) return only;
  if (values !== undefined) return keywords.default ?? values[0];
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) {
    if (direction === 'answer' && isUsuallyNull(choices, name)) return null;
    return exampleOf(chooseFrom(choices), direction, name);
  }
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((part) => exampleOf(part, direction, name)));
  switch (typeof type === 'object' ? type[0] : type) {
    case 'string':
      return exampleText(keywords, name);
    case 'integer':
    case 'number':
      return exampleNumber(keywords, name);
    case 'boolean':
      return keywords.default ?? false;
    case 'array':
      return exampleList(keywords, direction, name);
    case 'null':
      return null;
    default:
      return exampleObject(keywords, direction);
  }
}

/** Fields of things that have ended or failed, which examples leave out. */
const exceptional =
  /^(?:revoked|expires|resolved|disabled|deleted|suppressed|scheduledEnd|last|\w*error|before$)/i;

function isUsuallyNull(choices: readonly TSchema[], name: string): boolean {
  return exceptional.test(name) && choices.some((choice) => (choice as Keywords).type === 'null');
}

function chooseFrom(choices: readonly TSchema[]): TSchema {
  return choices.find((choice) => (choice as Keywords).type !== 'null') ?? choices[0] ?? {};
}

function exampleObject(
  { properties = {}, patternProperties = {}, required = [] }: Keywords,
  direction: Direction,
): Record<string, unknown> {
  const names = Object.keys(properties);
  const shown = direction === 'answer' ? names : required.length > 0 ? required : names.slice(0, 1);
  const fields = shown.map((name) => [name, exampleOf(properties[name], direction, name)] as const);
  const [ofAnyName] = Object.values(patternProperties);
  if (names.length === 0 && ofAnyName !== undefined) return { en: exampleOf(ofAnyName, direction, 'text') };
  return Object.fromEntries(fields);
}

function exampleList({ items, minItems = 1, maxItems }: Keywords, direction: Direction, name: string) {
  if (items === undefined || maxItems === 0) return [];
  const item = exampleOf(items, direction, name.replace(/ies$/, 'y').replace(/s$/, ''));
  return Array.from({ length: Math.max(1, minItems) }, () => item);
}

function exampleNumber(keywords: Keywords, name: string): number {
  const { minimum = 0, exclusiveMinimum, multipleOf = 1 } = keywords;
  if (typeof keywords.default === 'number') return keywords.default;
  const usual = numbers.find(([form]) => form.test(name))?.[1] ?? 1;
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + multipleOf;
  const number = Math.max(usual, least);
  const { maximum = number } = keywords as { maximum?: number };
  return Math.min(Math.ceil(number / multipleOf) * multipleOf, maximum);
}

/** Examples of numbers by the form of their name. */
const numbers: readonly [RegExp, number][] = [
  [/status$/i, 200],
  [/percent|uptime/i, 99.98],
  [/ms$/i, 120],
  [/seconds$|step/i, 60],
];

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T23:59:59.000Z',
  uuid: '019c1ac7-5d3e-7b60-9f0e-3c1d2a4b5e6f',
  date: '2026-01-31',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};

/** Examples of texts by the form of their name; the first that its schema takes counts. */
const texts: readonly [RegExp, string][] = [
  [/e?mail|address(?:es)?$/i, 'ada@example.com'],
  [/^(?:hostname|host)$/i, 'status.example.com'],
  [/slug|^page$/i, 'acme'],
  [/^(?:path|location)$/i, '/api/v1/pages/acme'],
  [/url|href|link|target|icon|origin/i, 'https://example.com/'],
  [/languages?$|^en$/i, 'en'],
  [/^startsAt$/, '2026-12-06T02:00'],
  [/^timeZone$/, 'Europe/Berlin'],
  [/^rule$/, 'FREQ=WEEKLY;BYDAY=SU'],
  [/(?:at|from|to|since|until|start|end)$/i, '2026-01-31T23:59:59.000Z'],
  [/^(?:from|to)$/i, '2026-01-31T00:00:00.000Z'],
  [/^(?:day|date)$|(?:Day|Date)$/, '2026-01-31'],
  [/^uptime/, '99.98%'],
  [/id$/i, '019c1ac7-5d3e-7b60-9f0e-3c1d2a4b5e6f'],
  [/accent|colou?r/i, '#0a6cff'],
  [/sql/i, 'SELECT sum(requests) AS requests FROM requests_hour'],
  [/displayPrefix/, 'key_read_Ab3d'],
  [/^key$/, 'key_read_…'],
  [/secret/i, 'whsec_…'],
  [/password/i, 'correct horse battery staple'],
  [/^code$/i, '123456'],
  [/action/i, 'monitor.update'],
  [/endpoint|route/i, '/cart/:id'],
  [/service/i, 'shop'],
  [/title/i, 'Database outage'],
  [/summary|body|text|message/i, 'Connections time out.'],
  [/name|label/i, 'Checkout'],
  [/cursor/i, 'eyJvIjoxfQ'],
  [/version/i, '1.0.0'],
  [/./, 'text'],
];

function exampleText(keywords: Keywords, name: string): string {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = keywords;
  if (typeof keywords.default === 'string') return keywords.default;
  const ofFormat = format === undefined ? undefined : formats[format];
  if (ofFormat !== undefined) return ofFormat;
  const form = pattern === undefined ? undefined : new RegExp(pattern);
  const named = texts.filter(([names]) => names.test(name));
  const others = [...named, ...texts].map(([, text]) => text);
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (form === undefined || form.test(text));
  return others.find(fits) ?? 'x'.repeat(minLength);
}
