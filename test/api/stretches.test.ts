import t from 'tap';
import { createStretches } from '../../api/stretches.js';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

t.test(
  'a stretch ends with the job that crosses its bound, and owners take turns in the next ones',
  async (t) => {
    const done: string[] = [];
    const inTurn = createStretches(10);
    const [a, b] = [{}, {}];
    const add = (owner: object, name: string, bytes: number) =>
      inTurn(owner, () => {
        done.push(name);
        return bytes;
      });
    add(a, 'a1', 4);
    add(a, 'a2', 4);
    add(a, 'a3', 4);
    t.strictSame(done.splice(0), ['a1', 'a2', 'a3'], 'at once, up to the one that crosses it');
    add(a, 'a4', 6);
    add(a, 'a5', 6);
    add(a, 'a6', 6);
    add(b, 'b1', 6);
    t.strictSame(done, []);
    await nextTurn();
    t.strictSame(done.splice(0), ['a4', 'b1']);
    add(b, 'b2', 1);
    t.strictSame(done, [], 'nobody overtakes those that wait');
    await nextTurn();
    t.strictSame(done.splice(0), ['a5', 'b2', 'a6']);
    await nextTurn();
    add(a, 'a7', 1);
    t.strictSame(done, ['a7']);
  },
);

t.test('a job of a large body lets others in first, once', async (t) => {
  const inTurn = createStretches(10);
  const done: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    inTurn({}, () => {
      done.push(i);
      return 1_000;
    });
  }
  const counts = [done.length];
  for (let turn = 0; turn < 3; turn += 1) {
    await nextTurn();
    counts.push(done.length);
  }
  t.strictSame(counts, [1, 2, 3, 3]);
});
