import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { reportPeriods } from '../../contract/manage/reports.js';
import { describeErrors } from '../../lib/parse-body.js';
import { slugPattern } from '../../lib/slug.js';
import type { ManageBodyRoute, ManageRoute } from '../manage/manage-route.js';
import type { Route } from '../route.js';
import { RpcError } from './json-rpc.js';
import { type ToolDefinition, toolDefinitions } from './tools.js';

/** A tool with the route that does its work. */
export type Tool = {
  definition: ToolDefinition;
  route: ManageRoute | ManageBodyRoute;
  /** The entry in `tools/list`. */
  listed: object;
  /** @throws RpcError `invalidParams` for arguments that the tool does not take. */
  parse(given: unknown): ToolArguments;
};

export type ToolArguments = {
  /** Slug of the page; absent where the key has one page alone, or the route none. */
  page?: string;
  confirm: boolean;
  /** Parameters of the path, besides the page. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** Absent for a route without a body. */
  body?: object;
};

/** Schemas of the parameters of paths: a text that is no slug or id could lead to the route of something else. */
const segmentSchemas: Readonly<Record<string, TSchema>> = {
  page: {
    ...{ type: 'string', pattern: slugPattern },
    description: 'Slug of the page; may be left out when the key is of one page.',
  },
  slug: { type: 'string', pattern: slugPattern, description: 'Slug of the monitor.' },
  id: { type: 'string', format: 'uuid', description: 'Id.' },
  every: { type: 'string', enum: [...reportPeriods], description: 'The period.' },
};

const pagesPath = '/api/v1/pages/:page';

/** The tools over the routes of the service. @throws Error when a tool has no route. */
export function makeTools(routes: readonly Route[]): Tool[] {
  return toolDefinitions.map((definition) => makeTool(definition, findRoute(routes, definition)));
}

function findRoute(routes: readonly Route[], { route }: ToolDefinition): ManageRoute | ManageBodyRoute {
  const [method = '', place = ''] = route.split(' ', 2);
  const path = place.startsWith('/api') ? place : `${pagesPath}${place}`;
  for (const one of routes) {
    if ('permission' in one && one.method === method && one.path === path) return one;
  }
  throw new Error(`No route does the work of ${route}.`);
}

type Properties = Record<string, TSchema>;
type ObjectSchema = { properties?: Properties; required?: string[] };

function makeTool(definition: ToolDefinition, route: ManageRoute | ManageBodyRoute): Tool {
  const { name, title, description, announces } = definition;
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, part = '']) => part);
  const own = inPath.filter((part) => part !== 'page');
  const query: ObjectSchema = route.query ?? {};
  const body = 'body' in route ? (route.body.schema as TSchema & ObjectSchema) : undefined;
  const properties: Properties = {
    ...Object.fromEntries(inPath.map((part) => [part, segmentSchemaOf(part)])),
    ...query.properties,
    ...(body !== undefined && { body }),
    ...(announces !== undefined && {
      confirm: { type: 'boolean', description: 'true makes the change and announces it.' },
    }),
  };
  const inputSchema = {
    type: 'object',
    properties,
    required: [...own, ...(body !== undefined ? ['body'] : [])],
    additionalProperties: false,
  };
  const isRead = route.method === 'GET' || definition.name === 'run_sql';
  return {
    definition,
    route,
    listed: {
      ...{ name, title, description, inputSchema },
      annotations: {
        readOnlyHint: isRead,
        destructiveHint: !isRead && (announces !== undefined || route.method === 'PUT'),
        idempotentHint: isRead || route.method === 'PUT',
        openWorldHint: false,
      },
    },
    parse: createParser(inputSchema, own, Object.keys(query.properties ?? {})),
  };
}

function segmentSchemaOf(part: string): TSchema {
  const schema = segmentSchemas[part];
  if (schema === undefined) throw new Error(`No schema says what the parameter ${part} of a path may be.`);
  return schema;
}

/** Numbers and truth values of the query may come as such: models send what reads best. */
function createParser(
  inputSchema: object,
  own: readonly string[],
  inQuery: readonly string[],
): Tool['parse'] {
  let check: Validator<Record<never, never>, TSchema> | undefined;
  return (given) => {
    check ??= Compile(inputSchema as TSchema);
    const sent = { ...(given as Record<string, unknown> | undefined) };
    for (const name of inQuery) if (typeof sent[name] === 'number') sent[name] = String(sent[name]);
    if (!check.Check(sent)) throw new RpcError('invalidParams', describeErrors(check, sent));
    const { page, confirm, body } = sent as { page?: string; confirm?: boolean; body?: object };
    const pick = (names: readonly string[]) =>
      Object.fromEntries(
        names.flatMap((name) => (sent[name] === undefined ? [] : [[name, String(sent[name])]])),
      );
    return {
      ...{ confirm: confirm === true, path: pick(own), query: pick(inQuery) },
      ...(page !== undefined && { page }),
      ...(body !== undefined && { body }),
    };
  };
}
