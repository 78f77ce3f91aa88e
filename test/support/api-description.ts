import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer } from './service.js';

type Response = { content?: Record<string, { schema: object }> };
type Parameter = {
  $ref?: string;
  name?: string;
  in?: string;
  description?: string;
  schema?: { type?: string };
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  responses: Record<string, Response>;
  requestBody?: { content: Record<string, { schema: object }> };
};

/** The parts of /openapi.json that tests read. */
export type Description = {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, object> };
};

const methods = ['get', 'post', 'patch', 'put', 'delete'];

export type Described = { path: string; method: string; operation: Operation };

/** Every operation with its path and its method in capitals. */
export function operationsOf({ paths }: Description): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      // Paths also have servers.
      methods.includes(method)
        ? [{ path, method: method.toUpperCase(), operation: operation as Operation }]
        : [],
    ),
  );
}

/** Finds the operation of a request; a path without parameters comes before one with them, as OpenAPI says. */
export function findOperation(description: Description, method: string, path: string): Described | undefined {
  const parametersIn = (template: string): number => template.split('{').length;
  return operationsOf(description)
    .filter((one) => one.method === method && formOf(one.path).test(path))
    .sort((a, b) => parametersIn(a.path) - parametersIn(b.path))
    .at(0);
}

function formOf(template: string): RegExp {
  const parts = template.split(/\{\w+\}/).map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}

/** Returns what an answer has that its operation does not describe: status, media type, or fields of a body in JSON. */
export type FindUndescribed = (operation: Operation, answer: Answer) => string[];

export function checkAnswersWith(description: Description): FindUndescribed {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'api', components: description.components });
  const compiled = new WeakMap<object, ValidateFunction>();
  return (operation, { status, headers, body }) => {
    const name = `${operation.operationId}: ${status}`;
    const response = operation.responses[status];
    if (response === undefined) return [`${name} is not described`];
    const type = (headers.get('content-type') ?? '').replace(/;.*/, '');
    const { content = {} } = response;
    const isEmpty = body === '';
    if (isEmpty && Object.keys(content).length === 0) return [];
    const described = content[type];
    if (described === undefined) return [`${name} ${type} is not described`];
    if (!type.endsWith('json') || typeof body !== 'object') return [];
    const validate = compiled.get(described.schema) ?? ajv.compile(inDocument(described.schema));
    compiled.set(described.schema, validate);
    return validate(body) ? [] : [`${name} ${ajv.errorsText(validate.errors)}`];
  };
}

function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components'));
}
