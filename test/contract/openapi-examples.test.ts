import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import t from 'tap';
import { describeApi } from '../../api/openapi/describe-api.js';
import { type Description, operationsOf } from '../support/api-description.js';
import { makeRouteTable } from '../support/route-table.js';

/** Examples of every body: each is what its schema takes, in the strictest reading. */
type Media = { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> };

const description = describeApi(makeRouteTable().routes, '/') as Description;
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { ...formats() } });
ajv.addSchema({ $id: 'api', components: description.components });

function formats(): Record<string, RegExp | true> {
  return {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/,
    date: /^\d{4}-\d\d-\d\d$/,
    uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/,
    uri: /^https?:\/\//,
    email: /^[^@\s]+@[^@\s]+$/,
    binary: true,
  };
}

const valuesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** Compiled schemas by their text: hundreds of operations have the same errors. */
const compiled = new Map<string, ValidateFunction>();

function problemsOf({ schema }: Media, value: unknown): string[] {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  return validate(value) ? [] : [`${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`];
}

t.test('every body of a request has an example that its schema takes', async (t) => {
  let bodies = 0;
  const wrong: string[] = [];
  for (const { method, path, operation } of operationsOf(description)) {
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}) as [string, Media][]) {
      if (!/json|urlencoded/.test(type)) continue;
      bodies += 1;
      const values = valuesOf(media);
      if (values.length !== 1) wrong.push(`${method} ${path}: ${values.length} examples`);
      for (const value of values) {
        wrong.push(...problemsOf(media, value).map((problem) => `${method} ${path}: ${problem}`));
        // The form of a button alone has no fields.
        const isEmpty = JSON.stringify(value) === '{}' && !/urlencoded/.test(type);
        if (isEmpty) wrong.push(`${method} ${path}: the example says nothing`);
      }
    }
  }
  t.strictSame(wrong, []);
  t.ok(bodies > 10, `${bodies} bodies`);
});

t.test('every answer in JSON has an example for its success and for each of its errors', async (t) => {
  let answers = 0;
  const wrong: string[] = [];
  for (const { method, path, operation } of operationsOf(description)) {
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      const media = content['application/json'] as Media | undefined;
      if (media === undefined) continue;
      answers += 1;
      const values = valuesOf(media);
      if (values.length === 0) wrong.push(`${method} ${path} ${status}: no example`);
      for (const value of values) {
        wrong.push(...problemsOf(media, value).map((problem) => `${method} ${path} ${status}: ${problem}`));
      }
    }
  }
  t.strictSame(wrong, []);
  t.ok(answers > 100, `${answers} answers`);
});
