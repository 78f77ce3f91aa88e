import t from 'tap';
import { runHeartline, runInProcess } from '../support/run-heartline.js';

const hint = (command: string) => `Try: npx heartline ${command}--help\n`;

const misuses: [args: string[], message: string | RegExp, hint: string][] = [
  [[], 'A command is missing, such as page list.', hint('')],
  [['--page', 'acme'], 'The command comes before its options: npx heartline COMMAND --page …', hint('')],
  [['frobnicate'], '"frobnicate" is not a command.', hint('')],
  [['pages'], /^"pages" is not a command; did you mean page create, page set, page list.*$/, hint('')],
  [['pages', 'lits'], '"pages" is not a command; did you mean page list?', hint('')],
  [['keys', 'create'], '"keys" is not a command; did you mean key create?', hint('')],
  [['create', 'page'], '"create" is not a command; did you mean page create?', hint('')],
  [['start'], '"start" is not a command; did you mean serve?', hint('')],
  [
    ['page'],
    /^"page" needs a verb; the commands are page create, page set, page list, page show, page delete\.$/,
    hint('page '),
  ],
  [['page', 'drop'], /^"page drop" is not a command; did you mean page delete\?$/, hint('page ')],
  [['page', 'lits'], '"page lits" is not a command; did you mean page list?', hint('page ')],
  [['key', 'delete'], '"key delete" is not a command; did you mean key revoke?', hint('key ')],
  [
    ['incident', 'close'],
    '"incident close" is not a command; did you mean incident resolve?',
    hint('incident '),
  ],
  [['page', 'create', '--slug', 'a'], '--hostname NAME is missing.', hint('page create ')],
  [
    ['page', 'create', '--slug', '--hostname', 'a'],
    '--slug needs a value: --slug SLUG; if "--hostname" is its value, write --slug=--hostname',
    hint('page create '),
  ],
  [['page', 'create', '--slug'], '--slug needs a value: --slug SLUG', hint('page create ')],
  [
    ['page', 'create', '--slug', 'a', '--slug', 'b'],
    '--slug is given twice; give it once.',
    hint('page create '),
  ],
  [['page', 'create', '--colour', 'red'], '--colour is not an option of page create.', hint('page create ')],
  [
    ['page', 'create', '--host', 'a'],
    '--host is not an option of page create; did you mean --hostname?',
    hint('page create '),
  ],
  [
    ['page', 'create', '-hostname', 'a'],
    /^-hostname is not .* did you mean --hostname\?$/,
    hint('page create '),
  ],
  [
    ['page', 'list', '--json=yes'],
    '--json takes no value; write --json alone, or leave it out.',
    hint('page list '),
  ],
  [
    ['page', 'create', '--slug', 'a', '--hostname', 'a', '--history-days', '1e1'],
    '--history-days must be a whole number, not "1e1".',
    hint('page create '),
  ],
  [
    ['page', 'set', 'acme'],
    'There is nothing to change; name what to change, such as --name NAME.',
    hint('page set '),
  ],
  [
    ['page', 'set', 'acme', '--database-health', 'yes'],
    '--database-health must be on or off, not "yes".',
    hint('page set '),
  ],
  [
    ['page', 'set', 'acme', '--capability', 'sudo=on'],
    /^--capability must be incident-writes, /,
    hint('page set '),
  ],
  [
    ['page', 'set', 'acme', '--capability', 'database-health'],
    '--capability database-health must be on or off, not "".',
    hint('page set '),
  ],
  [
    ['page', 'show'],
    'SLUG is missing; write: npx heartline page show SLUG|--slug SLUG [--json]',
    hint('page show '),
  ],
  [
    ['page', 'show', 'a', 'b'],
    'Unexpected argument "b". Put a value with spaces into quotes; write: npx heartline page show SLUG|--slug SLUG [--json]',
    hint('page show '),
  ],
  [
    ['key', 'create', '--page', 'acme'],
    '--scope incident|ingest|read|manage|admin is missing.',
    hint('key create '),
  ],
  [['key', 'create', '--scope', 'read'], '--page SLUG is missing.', hint('key create ')],
  [
    ['key', 'create', '--page', 'acme', '--scope', 'all'],
    '--scope must be incident, ingest, read, manage or admin, not "all".',
    hint('key create '),
  ],
  [
    ['key', 'revoke'],
    'ID is missing; write: npx heartline key revoke ID [--page SLUG] [--json]',
    hint('key revoke '),
  ],
  [
    ['key', 'revoke', '--id', 'x'],
    '--id is not an option of key revoke; write ID without it: npx heartline key revoke ID [--page SLUG] [--json]',
    hint('key revoke '),
  ],
  [['key', 'list'], '--page SLUG is missing.', hint('key list ')],
  [['--url'], '--url needs a value.', hint('')],
  [['--url', 'https://a.example', '--url=x'], '--url is given twice; give it once.', hint('')],
  [['serve', '--port', '1'], '--port is not an option of serve.', hint('serve ')],
  [['serve', '--roles', 'prob'], /^--roles must be api, .*\. Did you mean probe\?$/, hint('serve ')],
];

for (const [args, message, hintLine] of misuses) {
  t.test(`heartline ${args.join(' ')}`, async (t) => {
    const { code, stdout, stderr } = await runInProcess(args);
    t.equal(code, 2);
    t.equal(stdout, '');
    const [first = '', second] = stderr.split(/(?<=\n)/);
    t.match(first.replace(/^heartline: /, '').trimEnd(), message);
    t.equal(second, hintLine);
  });
}

t.test('the process ends in the same way', async (t) => {
  t.same(await runHeartline(['pages']), await runInProcess(['pages']));
});

t.test('a bad configuration is one sentence and exit code 1', async (t) => {
  const { code, stderr } = await runHeartline(['page', 'list'], { HEARTLINE_COLOUR: 'red' });
  t.equal(code, 1);
  t.match(stderr, /^heartline: HEARTLINE_COLOUR is not a setting of Heartline.*\n$/);
});
