import t from 'tap';
import { type Command, findCommands } from '../../../web/dashboard/shell/palette/commands.js';

const commands: Command[] = ['Overview', 'Traffic', 'SQL', 'checkout', 'checkout worker', 'Old checkout'].map(
  (title) => ({ id: title, kind: 'service', title }),
);
const endpoint: Command = { id: 'e', kind: 'endpoint', title: '/cart/:id', detail: 'checkout' };
const found = (search: string, among = commands, recent: string[] = []) =>
  findCommands(among, search, recent).map(({ command }) => command.title);
const marked = (search: string) => findCommands(commands, search).map(({ marks }) => marks);

t.test('the palette finds every word, with beginnings first', async (t) => {
  t.same(found(''), ['Overview', 'Traffic', 'SQL', 'checkout', 'checkout worker', 'Old checkout']);
  t.same(found('check'), ['checkout', 'checkout worker', 'Old checkout']);
  t.same(found('WORKER check'), ['checkout worker']);
  t.same(found('nothing'), []);
});

t.test('letters may be left out up to the beginning of the next word', async (t) => {
  t.same(found('chw'), ['checkout worker']);
  t.same(found('cw'), ['checkout worker']);
  t.same(found('ct'), [], 'letters in the middle of a word are found by accident');
});

t.test('a command is found by its title in another language, and shows its own', async (t) => {
  const spoken: Command[] = [
    { id: 'a', kind: 'action', title: 'Störung melden', otherTitles: ['Open an incident'] },
    { id: 'b', kind: 'action', title: 'Wartung planen', otherTitles: ['Plan maintenance'] },
    { id: 'c', kind: 'action', title: 'Overview', otherTitles: ['Übersicht'] },
  ];
  t.same(found('open incident', spoken), ['Störung melden']);
  t.same(found('stör', spoken), ['Störung melden']);
  t.same(found('plan', spoken), ['Wartung planen']);
  t.same(found('übers', spoken), ['Overview']);
  t.same(
    findCommands(spoken, 'open').map(({ marks }) => marks),
    [[]],
    'no letter of the title is marked',
  );
  t.same(
    findCommands(spoken, 'planen').map(({ marks }) => marks),
    [[8, 9, 10, 11, 12, 13]],
  );
  t.same(found('wartung maintenance', spoken), [], 'one language at a time');
});

t.test('what a command belongs to is found as well, behind its title', async (t) => {
  t.same(found('cart checkout', [endpoint]), ['/cart/:id']);
  t.equal(found('checkout', [endpoint, ...commands]).at(-1), '/cart/:id');
});

t.test('what somebody chose before comes before its equals', async (t) => {
  t.same(found('check', commands, ['Old checkout'])[0], 'checkout', 'a beginning is still better');
  const twins: Command[] = ['pay a', 'pay b'].map((title) => ({ id: title, kind: 'service', title }));
  t.same(found('pay', twins, ['pay b']), ['pay b', 'pay a']);
});

t.test('the found letters are known', async (t) => {
  t.same(marked('sql'), [[0, 1, 2]]);
  t.same(marked('cw'), [[0, 9]]);
  t.same(
    marked(''),
    commands.map(() => []),
  );
});

t.test('a long list is cut, and found quickly', async (t) => {
  const many = Array.from(
    { length: 2_000 },
    (_, i): Command => ({ id: `${i}`, kind: 'monitor', title: `Monitor number ${i} of the shop` }),
  );
  t.equal(findCommands(many, 'monitor').length, 40);
  t.equal(findCommands(many, 'mon 1999 shop')[0]?.command.title, 'Monitor number 1999 of the shop');
});
