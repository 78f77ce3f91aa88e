import { readFile } from 'node:fs/promises';
import t from 'tap';
import { errorRegistry } from '../../contract/errors.js';

const text = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

type Documented = { status: number; message: string; when: string; advice: string };

function readTables(): Map<string, Documented> {
  const documented = new Map<string, Documented>();
  for (const line of text.split('\n').filter((line) => line.startsWith('| `'))) {
    const [name = '', status, message = '', when = '', advice = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const key = name.replaceAll('`', '');
    if (documented.has(key)) throw new Error(`${key} is documented twice.`);
    documented.set(key, { status: Number(status), message: message.replace(/ ¹$/, ''), when, advice });
  }
  return documented;
}

t.test('docs/errors.md lists exactly the errors of the registry', async (t) => {
  t.strictSame([...readTables().keys()].sort(), Object.keys(errorRegistry).sort());
});

t.test('with their status and message, their cause and their remedy', async (t) => {
  const documented = readTables();
  for (const [name, { status, message }] of Object.entries(errorRegistry)) {
    const entry = documented.get(name);
    t.match(entry, { status, message }, name);
    t.ok(entry !== undefined && entry.when.length > 10 && entry.advice.length > 10, `${name} is explained`);
  }
});

t.test('every message is one short line, and every status is an error status', async (t) => {
  for (const [name, { status, message }] of Object.entries(errorRegistry)) {
    t.ok(status >= 400 && status <= 599, name);
    t.notMatch(message, /\n|undefined|\[object/, name);
    t.ok(message.length <= 120, name);
  }
});
