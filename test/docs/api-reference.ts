import { describeApi } from '../../api/openapi/describe-api.js';
import type { Route } from '../../api/route.js';
import { describePath } from '../../api/route.js';
import { errorRegistry } from '../../contract/errors.js';
import { type Described, type Description, operationsOf } from '../support/api-description.js';
import { makeRouteTable } from '../support/route-table.js';

type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  description?: string;
};
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

const header = `# API reference

Every route of the service, from the same table that the service routes by. docs/api.md says how to use them, and
docs/errors.md lists the errors. \`npm run docs:api\` writes this page.

Any request may get \`notHttp\`, \`expectationFailed\`, \`headersTooLarge\`, \`internal\` and \`shuttingDown\`, and one with a
body \`bodyNotJson\`, \`bodyEncoding\`, \`bodyTimeout\`, \`bodyTooLarge\`, \`contentEncoding\` and \`overloaded\`. A route for keys
may also answer \`wrongScope\`, \`capabilityUnavailable\` and \`storeUnavailable\`, beside the 401 of an unknown key. A route
with a permission may answer \`signInRequired\`, \`wrongScope\`, \`notAllowed\`, \`notFound\`, \`invalidParameter\`,
\`rateLimited\`, \`storeUnavailable\`, and for a change \`otherOrigin\` and \`invalidBody\`. The errors that a route lists are
further ones.
`;

/** Writes the reference: the routes in the order of their tags, each with its parameters, bodies, examples and errors. */
export function writeReference(): string {
  const { routes } = makeRouteTable();
  const description = describeApi(routes, '/') as Description & {
    tags: { name: string; description: string }[];
  };
  const routeOf = new Map(routes.map((route) => [`${route.method} ${describePath(route.path)}`, route]));
  const operations = operationsOf(description);
  const schemas = description.components.schemas as Record<string, Schema>;
  const parts = description.tags.flatMap(({ name, description: text }) => {
    const ofTag = operations.filter(({ operation }) => operation.tags.includes(name));
    if (ofTag.length === 0) return [];
    const sections = ofTag.map((one) =>
      writeOperation(schemas, one, routeOf.get(`${one.method} ${one.path}`)),
    );
    return [`## ${name}\n\n${text}\n`, ...sections];
  });
  return [header, ...parts].join('\n');
}

function writeOperation(
  schemas: Record<string, Schema>,
  { method, path, operation }: Described,
  route: Route | undefined,
): string {
  const { description, parameters = [], requestBody, responses } = operation;
  const lines = [`### ${method} ${path}`, '', `\`${operation.operationId}\`. ${description}`, ''];
  const named = parameters.filter(({ name }) => name !== undefined);
  if (named.length > 0) {
    lines.push('| parameter | in | |', '|---|---|---|');
    for (const { name = '', in: place = '', description: text = '' } of named)
      lines.push(`| \`${name}\` | ${place} | ${inCell(text)} |`);
    lines.push('');
  }
  for (const [type, media] of Object.entries(requestBody?.content ?? {}))
    lines.push(...writeBody(schemas, `Body, \`${type}\``, media as Media, 'request'));
  for (const [status, { content = {} }] of Object.entries(responses)) {
    if (Number(status) >= 300) continue;
    const types = Object.entries(content);
    if (types.length === 0) lines.push(`Answers ${status}.`, '');
    for (const [type, media] of types)
      lines.push(...writeBody(schemas, `Answers ${status}, \`${type}\``, media as Media));
  }
  const errors = (route?.errors ?? []).map((kind) => {
    const { code, status } = errorRegistry[kind];
    return `\`${code}\` (${status})`;
  });
  if (errors.length > 0) lines.push(`Errors: ${[...new Set(errors)].join(', ')}.`, '');
  return lines.join('\n');
}

function writeBody(
  schemas: Record<string, Schema>,
  title: string,
  { schema, example, examples }: Media,
  direction?: 'request',
): string[] {
  const fields = fieldsOf(schemas, schema, '', direction === 'request');
  const shown = example ?? examples?.['success']?.value;
  if (fields.length === 0 && shown === undefined) return [`${title}.`, ''];
  const table = fields.length === 0 ? [] : ['| field | type | |', '|---|---|---|', ...fields, ''];
  const json = shown === undefined ? [] : ['```json', JSON.stringify(shown, null, 2), '```', ''];
  return [`${title}:`, '', ...table, ...json];
}

/** Rows of a table, with `a.b` for a field of a field and `a[]` for the items of a list. */
function fieldsOf(
  schemas: Record<string, Schema>,
  given: Schema,
  place: string,
  isRequest: boolean,
  depth = 0,
): string[] {
  const schema = resolve(schemas, given);
  if (depth > 6) return [];
  const parts = [...(schema.anyOf ?? schema.oneOf ?? []), ...(schema.allOf ?? [])];
  if (schema.items !== undefined) {
    return fieldsOf(schemas, schema.items, `${place}[]`, isRequest, depth + 1);
  }
  if (parts.length > 0) {
    const rows = parts.flatMap((part) => fieldsOf(schemas, part, place, isRequest, depth + 1));
    return [...new Set(rows)];
  }
  const dot = place === '' ? '' : `${place}.`;
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isOptional = isRequest && !(schema.required ?? []).includes(name);
    const inner = resolve(schemas, field);
    const text = field.description ?? inner.description ?? '';
    const type = `${typeOf(schemas, field)}${isOptional ? ', optional' : ''}`;
    return [
      `| \`${dot}${name}\` | ${type} | ${inCell(text)} |`,
      ...fieldsOf(schemas, field, `${dot}${name}`, isRequest, depth + 1),
    ];
  });
}

function resolve(schemas: Record<string, Schema>, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (schemas[schema.$ref.replace(/^.*\//, '')] ?? {});
}

function typeOf(schemas: Record<string, Schema>, given: Schema): string {
  const schema = resolve(schemas, given);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((one) => typeOf(schemas, one)))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const { type = 'any', format, items } = schema;
  if (items !== undefined) return `list of ${typeOf(schemas, items)}`;
  const name = format ?? type;
  const { minimum, maximum = schema.maxLength, minLength } = schema;
  const least = minimum ?? minLength;
  if (least !== undefined && maximum !== undefined) return `${name}, ${least} to ${maximum}`;
  if (maximum !== undefined) return `${name}, at most ${maximum}`;
  return name;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
