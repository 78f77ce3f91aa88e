import type { TSchema } from 'typebox';
import * as failureSchemas from '../../contract/analytics/failures.js';
import * as figureSchemas from '../../contract/analytics/figures.js';
import * as messageSchemas from '../../contract/analytics/messages.js';
import * as reporterSchemas from '../../contract/analytics/reporters.js';
import * as requestSchemas from '../../contract/analytics/requests.js';
import * as sqlSchemas from '../../contract/analytics/sql.js';
import * as versionSchemas from '../../contract/analytics/versions.js';
import * as databaseHealthSchemas from '../../contract/database-health.js';
import * as eventSchemas from '../../contract/events.js';
import * as incidentSchemas from '../../contract/incidents.js';
import * as observationSchemas from '../../contract/observations.js';
import * as otlpSchemas from '../../contract/otlp.js';
import * as poolSchemas from '../../contract/pool-reports.js';
import * as badgeSchemas from '../../contract/public/badges.js';
import * as embedSchemas from '../../contract/public/embed.js';
import * as publicFigureSchemas from '../../contract/public/public-figures.js';
import * as publicObjectiveSchemas from '../../contract/public/public-objectives.js';
import * as responseTimeSchemas from '../../contract/public/response-times.js';
import * as sharedBoardSchemas from '../../contract/public/shared-boards.js';
import * as startPageSchemas from '../../contract/public/start-page.js';
import * as publicStatusSchemas from '../../contract/public/status.js';
import * as statuspageSchemas from '../../contract/public/statuspage.js';
import * as summarySchemas from '../../contract/public/summary.js';
import * as rejectionSchemas from '../../contract/rejections.js';
import * as subscriberSchemas from '../../contract/subscribers.js';

export type Json = Record<string, unknown>;

const contract = Object.values({
  ...eventSchemas,
  ...messageSchemas,
  ...reporterSchemas,
  ...requestSchemas,
  ...sqlSchemas,
  ...badgeSchemas,
  ...databaseHealthSchemas,
  ...embedSchemas,
  ...failureSchemas,
  ...figureSchemas,
  ...incidentSchemas,
  ...observationSchemas,
  ...otlpSchemas,
  ...poolSchemas,
  ...publicFigureSchemas,
  ...publicObjectiveSchemas,
  ...publicStatusSchemas,
  ...rejectionSchemas,
  ...responseTimeSchemas,
  ...sharedBoardSchemas,
  ...startPageSchemas,
  ...statuspageSchemas,
  ...subscriberSchemas,
  ...summarySchemas,
  ...versionSchemas,
});

const errorSchema = {
  type: 'object',
  required: ['error', 'code'],
  properties: {
    error: { type: 'string', description: 'What was wrong, for a person.' },
    code: {
      type: 'string',
      description: 'What was wrong, for a program; docs/errors.md lists the codes. They never change.',
    },
    field: {
      type: 'string',
      description: 'The field of the body at fault, as a JSON pointer; absent where no single one is.',
    },
    hint: {
      type: 'string',
      description: 'What to do about it, or where to look; absent where `error` says it.',
    },
    position: {
      type: 'object',
      description: 'Where the fault is in a text that was sent, such as SQL, in characters.',
      required: ['offset', 'line', 'column'],
      properties: {
        offset: { type: 'integer', minimum: 0 },
        line: { type: 'integer', minimum: 1 },
        column: { type: 'integer', minimum: 1 },
      },
    },
  },
};

export const errorReference = { $ref: '#/components/schemas/Error' };

/** The schema of the contract with this name. */
export function findSchema(id: string): TSchema | undefined {
  // Only schemas have an id.
  return contract.find((schema) => idOf(schema) === id) as TSchema | undefined;
}

/** Every schema of the contract that has a name, and the form of errors. */
export function describeSchemas(): Json {
  const named: Json = {};
  for (const schema of contract) {
    const id = idOf(schema);
    if (id !== undefined) named[id] = describeKeywords(schema);
  }
  return { ...named, Error: errorSchema };
}

/** A schema in the form of OpenAPI: a reference to one with a name, and any other in place. */
export function describeSchema(schema: unknown): Json {
  const id = idOf(schema);
  return id === undefined ? describeKeywords(schema) : { $ref: `#/components/schemas/${id}` };
}

/** The schema of a text or of bytes. */
export function describeText(mediaType: string): Json {
  if (/[/+]json$/.test(mediaType)) return { type: 'object' };
  const isText = /^text\/|\+xml$|ndjson$/.test(mediaType);
  return { type: 'string', contentMediaType: mediaType, ...(!isText && { format: 'binary' }) };
}

/**
 * The keywords of a schema, without its id. A default is said in words: generators take a property with the keyword
 * `default` for one that is always there, and then require it in the bodies of requests.
 */
function describeKeywords(schema: unknown): Json {
  const described: Json = {};
  for (const [keyword, value] of Object.entries(schema as TSchema)) {
    if (keyword === '$ref') described[keyword] = `#/components/schemas/${value}`;
    else if (keyword !== '$id' && keyword !== 'default') described[keyword] = describeKeyword(keyword, value);
  }
  if (isOfTexts(described['enum'])) described['type'] ??= 'string';
  const usual = (schema as { default?: unknown }).default;
  if (usual !== undefined) described['description'] = withDefault(described['description'], usual);
  return described;
}

function describeKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' || keyword === 'patternProperties') {
    const properties = Object.entries(value as Record<string, TSchema>);
    return Object.fromEntries(properties.map(([name, schema]) => [name, describeSchema(schema)]));
  }
  if (keyword === 'items' || keyword === 'additionalProperties' || keyword === 'not') {
    return typeof value === 'object' ? describeSchema(value) : value;
  }
  if (['anyOf', 'allOf', 'oneOf'].includes(keyword)) return (value as TSchema[]).map(describeSchema);
  return value;
}

/** Generators need the type of a list of values; TypeBox leaves it out. */
function isOfTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function withDefault(description: unknown, usual: unknown): string {
  const sentence = `\`${usual}\` when missing.`;
  return typeof description === 'string' ? `${description} ${sentence}` : sentence;
}

function idOf(schema: unknown): string | undefined {
  return typeof schema === 'object' && schema !== null ? (schema as { $id?: string }).$id : undefined;
}
