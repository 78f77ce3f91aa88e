import t from 'tap';
import { describeApi } from '../../api/openapi/describe-api.js';
import { type Description, operationsOf } from '../support/api-description.js';
import { makeRouteTable } from '../support/route-table.js';
import { writeReference } from './api-reference.js';

t.test('the reference describes each route once, with its parameters and bodies', async (t) => {
  const sections = writeReference()
    .split(/^### /m)
    .slice(1)
    .map((text) => [text.split('\n')[0] ?? '', text] as const);
  const operations = operationsOf(describeApi(makeRouteTable().routes, '/') as Description);
  t.strictSame(
    sections.map(([title]) => title).sort(),
    operations.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  const textOf = new Map(sections);
  const missing = operations.flatMap(({ method, path, operation }) => {
    const names = (operation.parameters ?? []).flatMap(({ name }) =>
      name === undefined ? [] : `\`${name}\``,
    );
    const bodies = Object.keys(operation.requestBody?.content ?? {}).map((type) => `Body, \`${type}\``);
    const text = textOf.get(`${method} ${path}`) ?? '';
    return [...names, ...bodies, operation.operationId].filter((one) => !text.includes(one));
  });
  t.strictSame(missing, []);
});
