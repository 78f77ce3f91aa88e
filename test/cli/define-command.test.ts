import t from 'tap';
import { type CommandContext, createContext } from '../../cli/core/context.js';
import { defineCommand, type Output } from '../../cli/core/define-command.js';
import { onOff, wholeNumber } from '../../cli/core/parse-arguments.js';
import { parseConfig } from '../../service/config.js';

let printed = '';
const context: CommandContext = createContext(parseConfig({}), {
  print(text) {
    printed += text;
  },
  variable: () => undefined,
  notify() {},
  createsStores: false,
});

let failure: string | undefined;
const command = defineCommand({
  name: 'thing set',
  summary: 'change a thing',
  help: 'Changes a thing.',
  arguments: { id: 'ID' },
  argumentsUnless: ['page', 'slug'],
  options: {
    page: { value: 'SLUG', help: 'the page' },
    slug: { value: 'SLUG', help: 'the thing' },
    limitMax: { value: 'N', help: 'at most this many', default: '50', parse: wholeNumber },
    kind: { value: 'KIND', help: 'its kind', required: true, choices: ['round', 'square'] },
    tag: { value: 'TAG', help: 'a tag; may be repeated', multiple: true, excludes: 'noTags' },
    noTags: { help: 'remove all tags' },
    shown: { value: 'on|off', help: 'whether it is shown', section: 'For square', parse: onOff },
  },
  json: '{"id"}',
  async run(_context, input): Promise<Output> {
    return { json: input, text: `${input.kind} ${input.limitMax + 1}\n`, failure };
  },
});

async function run(...argv: string[]): Promise<string> {
  printed = '';
  await command.run(context, argv);
  return printed;
}

t.test('the input has the converted values, and defaults for missing ones', async (t) => {
  t.strictSame(JSON.parse(await run('a', '--kind', 'round', '--json')), {
    ...{ id: 'a', limitMax: 50, kind: 'round', noTags: false },
  });
  const all = ['--limit-max', '7', '--kind=square', '--tag', 'x', '--tag', 'y', '--shown', 'off', '--json'];
  t.strictSame(JSON.parse(await run('--page', 'p', '--slug', 's', ...all)), {
    ...{ page: 'p', slug: 's', limitMax: 7, kind: 'square', tag: ['x', 'y'], noTags: false, shown: false },
  });
});

t.test('the text is printed without --json, and a failure is thrown after the output', async (t) => {
  t.equal(await run('a', '--kind', 'round'), 'round 51\n');
  failure = '2 lines were refused.';
  await t.rejects(run('a', '--kind', 'round'), { message: failure });
  t.equal(printed, 'round 51\n');
});

const usage = 'heartline thing set ID|--page SLUG --slug SLUG --kind round|square [options]';
const surplus = `Put a value with spaces into quotes; write: ${usage}`;

t.test('bad usage is refused with a sentence', async (t) => {
  const cases: [argv: string[], message: string][] = [
    [['--kind', 'round'], `ID is missing; write: ${usage}`],
    [['a', 'b', '--kind', 'round'], `Unexpected argument "b". ${surplus}`],
    [['a', '--page', 'p', '--slug', 's', '--kind', 'round'], `Unexpected argument "a". ${surplus}`],
    [['--page', 'p', '--kind', 'round'], '--slug SLUG is missing.'],
    [['a'], '--kind round|square is missing.'],
    [
      ['a', '--kind', '-5'],
      '--kind needs a value: --kind round|square; if "-5" is its value, write --kind=-5',
    ],
    [['a', '--shwon', 'on'], '--shwon is not an option of thing set; did you mean --shown?'],
    [['a', '--no-tags=1'], '--no-tags takes no value; write --no-tags alone, or leave it out.'],
    [['a', '--kind', 'flat'], '--kind must be round or square, not "flat".'],
    [['a', '--kind', 'round', '--kind', 'square'], '--kind is given twice; give it once.'],
    [['a', '--kind', 'round', '--json', '--json'], '--json is given twice; give it once.'],
    [['a', '--kind', 'round', '--limit-max', 'x'], '--limit-max must be a whole number, not "x".'],
    [['a', '--kind', 'round', '--shown', 'yes'], '--shown must be on or off, not "yes".'],
    [['a', '--kind', 'round', '--tag', 'x', '--no-tags'], '--tag and --no-tags cannot be used together.'],
  ];
  for (const [argv, message] of cases) {
    await t.rejects(command.run(context, argv), { name: 'UsageError', message }, argv.join(' '));
  }
});

t.test('the help lists the arguments and options in columns, by section', (t) => {
  t.equal(
    command.help,
    `${usage}

Changes a thing.

  --page SLUG     the page
  --slug SLUG     the thing
  --limit-max N   at most this many
  --kind KIND     its kind
  --tag TAG       a tag; may be repeated
  --no-tags       remove all tags
  --json          print one JSON object, {"id"}

For square:

  --shown on|off  whether it is shown
`,
  );
  t.end();
});
