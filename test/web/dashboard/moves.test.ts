import t from 'tap';
import {
  type Items,
  moveGroup,
  moveMonitor,
  placeOf,
  rebase,
  stepOf,
} from '../../../web/dashboard/screens/page/order/moves.js';

const items: Items = [
  { group: null, monitors: ['a'] },
  { group: 'x', monitors: ['b', 'c'] },
  { group: 'y', monitors: [] },
];

t.test('a monitor goes one step up or down, also into the next group', async (t) => {
  t.strictSame(placeOf(items, 'c'), { group: 'x', index: 1 });
  t.strictSame(stepOf(items, 'c', -1), { group: 'x', index: 0 });
  t.strictSame(stepOf(items, 'c', 1), { group: 'y', index: 0 });
  t.strictSame(stepOf(items, 'b', -1), { group: null, index: 1 });
  t.equal(stepOf(items, 'a', -1), undefined);
  t.equal(stepOf(items, 'none', 1), undefined);
  t.strictSame(moveMonitor(items, 'b', { group: 'x', index: 1 })[1]?.monitors, ['c', 'b']);
  t.strictSame(
    moveMonitor(items, 'b', { group: 'y', index: 0 }).map(({ monitors }) => monitors),
    [['a'], ['c'], ['b']],
  );
});

t.test('a group changes its place among the groups alone', async (t) => {
  const groups = (order: Items) => order.map(({ group }) => group);
  t.strictSame(groups(moveGroup(items, 'x', 1)), [null, 'y', 'x']);
  t.strictSame(groups(moveGroup(items, 'x', -1)), [null, 'x', 'y']);
  t.strictSame(groups(moveGroup(items, 'y', 1)), [null, 'x', 'y']);
});

t.test('an own order goes over another one: every group and monitor of that is there once', async (t) => {
  const current: Items = [
    { group: null, monitors: ['new', 'b'] },
    { group: 'z', monitors: ['a'] },
    { group: 'x', monitors: ['newer'] },
  ];
  t.strictSame(rebase(items, current), [
    { group: null, monitors: ['a', 'new'] },
    { group: 'x', monitors: ['b', 'newer'] },
    { group: 'z', monitors: [] },
  ]);
  t.strictSame(rebase([{ group: 'gone', monitors: ['b'] }], [{ group: null, monitors: ['b'] }]), [
    { group: null, monitors: ['b'] },
  ]);
});
