import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { loadCommands } from '../../cli/commands.js';
import { commandName, withPrintedCommands } from '../../lib/printed-commands.js';

const commands = await loadCommands();

t.test('commands in messages are written as a shell takes them', (t) => {
  t.equal(commandName, 'npx heartline', 'in a checkout');
  const left = commands.filter(
    ({ name }) => withPrintedCommands(`Run: heartline ${name}`, 'x') !== `Run: x ${name}`,
  );
  t.strictSame(left, [], 'every command is known');
  const kept = [
    'heartline: There is no page.',
    'npx heartline page list',
    'The database heartline does not exist.',
    'postgres://heartline pageant@127.0.0.1/heartline',
    '/usr/bin/heartline page list',
  ];
  t.strictSame(
    kept.map((text) => withPrintedCommands(text)),
    kept,
  );
  t.equal(
    withPrintedCommands('"heartline key list" or heartline --help', "A='$& it' npx heartline"),
    `"A='$& it' npx heartline key list" or A='$& it' npx heartline --help`,
  );
  t.end();
});

t.test('no screen and no view writes a command by itself', (t) => {
  const web = new URL('../../../web/', import.meta.url);
  // The view of sign-ins completes the commands in its texts.
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.(tsx?|json)$/.test(path) && !path.startsWith('texts/account.'),
  );
  t.ok(files.length > 200);
  const found = files.flatMap((path) =>
    readFileSync(new URL(path, web), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\*|\/[/*])/.test(line))
      .filter((line) => withPrintedCommands(line, 'x') !== line || line.includes('npx heartline'))
      .map((line) => `${path}: ${line.trim()}`),
  );
  t.strictSame(found, []);
  t.end();
});
