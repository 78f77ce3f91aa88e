import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { describedOperation, type Example, readExamples } from '../../docs/examples.js';
import { readPages } from '../../docs/read-blocks.js';
import type { Description } from '../../support/api-description.js';
import { startTestService } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { modules } from '../packages.js';

/**
 * A client that is generated from the description of a running service, with the options that the generator has
 * without any: the requests and answers that the docs show must be what its types say.
 */
const run = promisify(execFile);
const rootModules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const generator = join(modules, 'openapi-typescript/bin/cli.js');

const api = await startTestService(t);
const description = (await api.get('/openapi.json')).body as Description;
const examples = await readExamples();
const folder = await makeProject();

/** The strictest options that users of a client may have. */
const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
  ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'] },
  ...{ types: ['node'], typeRoots: [join(rootModules, '@types')] },
  // The types of openapi-fetch itself are not for these options.
  skipLibCheck: true,
};

const clientSource = `import createClient from 'openapi-fetch';
import type { paths } from './heartline.js';
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:8080' });
`;

t.test('the requests and answers of the docs compile against the types of a generated client', async (t) => {
  t.equal(await compile('examples', examplesSource()), '');
});

t.test('the client of the docs compiles', async (t) => {
  const blocks = (await readPages()).flatMap((page) => page.blocks);
  const block = blocks.find(({ text }) => text.startsWith("import createClient from 'openapi-fetch'"));
  t.equal(await compile('client', block?.text ?? 'no block'), '');
});

t.test(
  'a field that is missing or has a value that the service does not take does not compile',
  async (t) => {
    const start = "startedAt: '2026-01-31T22:58:00Z'";
    const wrong = [
      "{ title: 'a' }",
      `{ title: 'a', summary: 1, ${start} }`,
      `{ type: 'x', title: 'a', summary: 'b', ${start} }`,
    ];
    const calls = wrong.map((body) => `await client.POST('/api/v1/incidents', { body: ${body} });`);
    const errors = await compile('wrong', `${clientSource}${calls.join('\n')}`);
    for (const [index] of wrong.entries()) t.match(errors, `wrong.ts(${index + 4},`);
  },
);

/** Makes a folder with the types of the client. */
async function makeProject(): Promise<string> {
  const made = await temporaryFolder(t);
  const output = join(made, 'heartline.d.ts');
  await run(process.execPath, [generator, `${api.url}/openapi.json`, '--output', output]);
  await writeFile(join(made, 'package.json'), JSON.stringify({ type: 'module' }));
  await symlink(modules, join(made, 'node_modules'));
  return made;
}

/** Returns the errors of the compiler in a user's code. */
async function compile(name: string, code: string): Promise<string> {
  const project = join(folder, `${name}.json`);
  await writeFile(join(folder, `${name}.ts`), code);
  await writeFile(project, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const tsc = join(rootModules, 'typescript/bin/tsc');
  const outcome = await run(process.execPath, [tsc, '-p', project], { cwd: folder }).catch((error) => error);
  return String(outcome.stdout);
}

function examplesSource(): string {
  const calls = examples.map((example, index) => {
    const { path } = describedOperation(description, example);
    const field = Object(example.answer).error === undefined ? 'data' : 'error';
    // The example of rejected events has texts for numbers.
    const isWrong = Object(example.answer).rejections !== undefined;
    const expected = isWrong ? '// @ts-expect-error\n' : '';
    const call = `${expected}const call${index} = await client.${example.method}('${path}', ${optionsOf(example)});`;
    if (example.answer === undefined) return call;
    const answered = `export const answer${index}: NonNullable<typeof call${index}.${field}>`;
    return `${call}\n${answered} = ${JSON.stringify(example.answer)};`;
  });
  return `${clientSource}${calls.join('\n')}\n`;
}

/** The second argument of a call: parameters as the description types them, and the body as the docs print it. */
function optionsOf(example: Example): string {
  const { path: template, operation } = describedOperation(description, example);
  const [bare = '', search = ''] = example.path.split('?');
  const parts = bare.split('/');
  const inPath = template.split('/').flatMap((part, at) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, parts[at]] as const];
  });
  const inQuery = [...new URLSearchParams(search)].map(([name, value]) => {
    const type = operation.parameters?.find((one) => one.name === name)?.schema?.type;
    return [name, type === 'integer' ? Number(value) : value] as const;
  });
  const params = {
    ...(inPath.length > 0 && { path: Object.fromEntries(inPath) }),
    ...(inQuery.length > 0 && { query: Object.fromEntries(inQuery) }),
  };
  const body = example.body === undefined ? '' : `, body: ${example.body}`;
  return `{ params: ${JSON.stringify(params)}${body} }`;
}
