import t from 'tap';
import { runHeartline, runInProcess } from '../support/run-heartline.js';

const hint = (command: string) => `Try: heartline ${command}--help\n`;

const misuses: [args: string[], message: string | RegExp, hint: string][] = [
  [[], 'A command is missing.', hint('')],
  [['pages'], '"pages" is not a command.', hint('')],
  [
    ['page'],
    /^"page" needs a verb; the commands are page create, page set, page list, page show\.$/,
    hint(''),
  ],
  [['page', 'drop'], /^"page drop" is not a command; the commands are page create, /, hint('')],
  [['page', 'create', '--slug', 'a'], '--hostname is missing.', hint('page create ')],
  [['page', 'create', '--slug'], /--slug.*argument/, hint('page create ')],
  [['page', 'create', '--slug', 'a', '--slug', 'b'], '--slug is given twice.', hint('page create ')],
  [['page', 'create', '--colour', 'red'], /'--colour'/, hint('page create ')],
  [
    ['page', 'create', '--slug', 'a', '--hostname', 'a', '--history-days', '1e1'],
    '--history-days must be a whole number, not "1e1".',
    hint('page create '),
  ],
  [['page', 'set', 'acme'], 'There is nothing to change.', hint('page set ')],
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
  [['page', 'show'], 'SLUG is missing.', hint('page show ')],
  [['page', 'show', 'a', 'b'], 'Unexpected argument "b".', hint('page show ')],
  [['key', 'create', '--page', 'acme'], '--scope is missing.', hint('key create ')],
  [
    ['key', 'create', '--page', 'acme', '--scope', 'all'],
    '--scope must be incident, ingest or read, not "all".',
    hint('key create '),
  ],
  [['key', 'revoke'], 'ID is missing.', hint('key revoke ')],
  [['key', 'list'], '--page is missing.', hint('key list ')],
  [['serve', '--port', '1'], /'--port'/, hint('serve ')],
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
