import t from 'tap';
import { commands } from '../../cli/commands.js';
import { commandName, withPrintedCommands } from '../../lib/printed-commands.js';

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
