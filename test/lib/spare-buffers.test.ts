import t from 'tap';
import { createSpareBuffers } from '../../lib/spare-buffers.js';

t.test('a buffer that was given back is used again when it is large enough', async (t) => {
  const spare = createSpareBuffers(1_000);
  const first = spare.take(600);
  t.equal(first.length, 600);
  spare.giveBack(first);
  t.not(spare.take(601), first);
  t.equal(spare.take(400), first);
  t.not(spare.take(400), first, 'and by one at a time');
});

t.test('no more than the bound is kept', async (t) => {
  const spare = createSpareBuffers(1_000);
  const [first, second] = [spare.take(600), spare.take(500)];
  spare.giveBack(first);
  spare.giveBack(second);
  t.equal(spare.take(500), first);
  t.not(spare.take(500), second);
  spare.giveBack(second);
  t.equal(spare.take(500), second, 'what is in use does not count');
});
