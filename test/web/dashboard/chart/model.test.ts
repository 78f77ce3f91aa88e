import fc from 'fast-check';
import t from 'tap';
import { makeFormat } from '../../../../web/dashboard/format.js';
import {
  eventsAt,
  fitLabels,
  indexAt,
  loneValues,
  middleOf,
  moveIndex,
  newestIndex,
  selectionOf,
  speechOf,
  splitRunning,
  stackValues,
  tickLabels,
  valueText,
  xOf,
  zoomMsMin,
} from '../../../../web/dashboard/kit/chart/model.js';
import { propertyOf } from '../../../support/property.js';

const minute = 60_000;
const begin = Date.parse('2026-05-04T10:00:00.000Z');
const axisOf = (steps: number, stepMs = minute) => ({
  times: Array.from({ length: steps }, (_, i) => begin + i * stepMs),
  stepMs,
  from: begin,
  to: begin + steps * stepMs,
});

t.test('a stack adds up, and what was not measured stays a gap', async (t) => {
  t.same(
    stackValues([
      [1, null, 3, null],
      [10, 20, null, null],
      [100, 200, 300, null],
    ]),
    [
      [1, null, 3, null],
      [11, 20, null, null],
      [111, 220, 303, null],
    ],
  );
  t.same(stackValues([]), []);
});

t.test('values between two gaps are found, because no line shows them', async (t) => {
  t.same(loneValues([1, null, 2, null, 3, 4, null, 0]), [0, 2, 7]);
  t.same(loneValues([5]), [0]);
  t.same(loneValues([null, null]), []);
  t.same(loneValues([1, 2, 3]), []);
});

t.test('the step of a time is the one that contains it, and else the nearest', async (t) => {
  const axis = axisOf(5);
  t.equal(indexAt(axis, begin), 0);
  t.equal(indexAt(axis, begin + minute - 1), 0);
  t.equal(indexAt(axis, begin + minute), 1);
  t.equal(indexAt(axis, begin - 1e9), 0);
  t.equal(indexAt(axis, begin + 1e9), 4);
  t.equal(indexAt({ ...axis, times: [] }, begin), undefined);
  const sparse = { ...axis, times: [begin, begin + 10 * minute] };
  t.equal(indexAt(sparse, begin + 3 * minute), 0);
  t.equal(indexAt(sparse, begin + 8 * minute), 1);
});

t.test('a step is found again from its middle', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_500 }),
      fc.integer({ min: 1, max: 240 }),
      fc.nat(),
      (steps, minutes, seed) => {
        const axis = axisOf(steps, minutes * minute);
        const index = seed % steps;
        const x = xOf(axis, 800, middleOf(axis, index));
        return indexAt(axis, middleOf(axis, index)) === index && x > 0 && x < 800;
      },
    ),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('the newest step is one that is over and has a value', async (t) => {
  const axis = axisOf(4);
  const now = begin + 3.5 * minute;
  t.equal(newestIndex(axis, [[1, 2, 3, 4]], now), 2, 'the last one is not over');
  t.equal(
    newestIndex(
      axis,
      [
        [1, 2, null, 4],
        [1, null, null, 4],
      ],
      now,
    ),
    1,
  );
  t.equal(newestIndex(axis, [[null, null, null, 4]], now), 3, 'none is over');
  t.equal(newestIndex(axis, [[null, null, null, null]], now), undefined);
  t.equal(newestIndex(axis, [], now), undefined);
});

t.test(
  'a selection has whole steps, in either direction, and is never too short to show anything',
  async (t) => {
    const axis = axisOf(30);
    const expected = { from: begin + 5 * minute, to: begin + 15 * minute };
    t.same(selectionOf(axis, 5, 14), expected);
    t.same(selectionOf(axis, 14, 5), expected);
    const one = selectionOf(axis, 10, 10);
    t.equal(one.to - one.from, zoomMsMin);
    t.equal((one.from + one.to) / 2, begin + 10.5 * minute);
  },
);

t.test('keys move the cursor within the chart', async (t) => {
  const steps = { count: 30, start: 28 };
  t.equal(moveIndex('ArrowLeft', undefined, steps), 28, 'it begins at the newest');
  t.equal(moveIndex('ArrowLeft', 28, steps), 27);
  t.equal(moveIndex('ArrowRight', 29, steps), 29);
  t.equal(moveIndex('ArrowLeft', 0, steps), 0);
  t.equal(moveIndex('PageUp', 15, steps), 5);
  t.equal(moveIndex('PageDown', 25, steps), 29);
  t.equal(moveIndex('Home', 15, steps), 0);
  t.equal(moveIndex('End', undefined, steps), 29);
  t.equal(moveIndex('a', 15, steps), undefined);
});

t.test('marks belong to their step, shaded times to each that they touch', async (t) => {
  const axis = axisOf(5);
  const events = {
    marks: [{ at: begin + 1.5 * minute, label: 'Deployed 1.2', kind: 'deploy' as const }],
    shaded: [
      {
        from: begin + 1.9 * minute,
        to: begin + 3 * minute,
        label: 'Maintenance',
        kind: 'maintenance' as const,
      },
    ],
  };
  t.same(
    [0, 1, 2, 3].map((index) => eventsAt(axis, index, events)),
    [[], ['Deployed 1.2', 'Maintenance'], ['Maintenance'], []],
  );
  t.same(eventsAt(axis, 99, events), []);
});

t.test('the cursor says the time, the values and what else there is', async (t) => {
  t.equal(speechOf('10:00', ['p50 5 ms', 'p95 no data'], []), '10:00: p50 5 ms, p95 no data');
  t.equal(
    speechOf('10:00', ['2xx 5'], ['Deployed 1.2', 'Few requests']),
    '10:00: 2xx 5. Deployed 1.2. Few requests',
  );
});

t.test('a value is written in its unit, and a gap is no value', async (t) => {
  const words = { format: makeFormat('en'), unit: 'ms' as const, none: 'no data' };
  const series = { key: 'p95', label: 'p95', values: [12.3, null, 5_000, 0] };
  t.equal(valueText(series, 0, words), '12.3 ms');
  t.equal(valueText(series, 1, words), 'no data');
  t.equal(valueText(series, 9, words), 'no data');
  t.equal(valueText(series, 3, words), '0 ms');
  t.equal(valueText({ ...series, text: (value, index) => `> ${value} (${index})` }, 2, words), '> 5000 (2)');
});

t.test('ticks have the time of the day, and the day where it begins', async (t) => {
  const format = {
    clock: (at: number) => new Date(at).toISOString().slice(11, 19),
    minute: (at: number) => new Date(at).toISOString().slice(11, 16),
    day: (at: number) => new Date(at).toISOString().slice(5, 10),
  };
  const hour = 3_600_000;
  t.same(tickLabels([begin + 12 * hour, begin + 13 * hour, begin + 14 * hour], hour, format), [
    '22:00\n05-04',
    '23:00',
    '00:00\n05-05',
  ]);
  t.same(tickLabels([begin], 30_000, format), ['10:00:00\n05-04']);
  t.same(tickLabels([begin, begin + 24 * hour], 24 * hour, format), ['05-04', '05-05']);
});

t.test('no label of the time axis is cut at an edge: one without room is left out', async (t) => {
  // Six pixels a character: the widest line of a label counts.
  const widthOf = (line: string) => line.length * 6;
  const fit = (labels: string[], places: number[], right: number) =>
    fitLabels(labels, places, { left: -60, right, widthOf });
  const labels = ['10:00\n30 Nov', '11:00', '12:00:30'];
  t.same(fit(labels, [0, 300, 600], 624), labels, '48 pixels around 600 end at 624');
  t.same(fit(labels, [0, 300, 600], 623), ['10:00\n30 Nov', '11:00', '']);
  t.same(fit(['11:00\n30 September'], [600], 624), [''], 'the day is wider than the time');
  t.same(fit(['11:00'], [-50], 624), [''], 'the other edge');
  t.same(fit([], [], 624), []);
});

t.test('every label that is drawn is whole, for any width of the chart', async () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ label: fc.string({ maxLength: 12 }), place: fc.integer({ min: 0, max: 2_000 }) })),
      fc.integer({ min: 40, max: 2_000 }),
      (ticks, right) => {
        const labels = ticks.map(({ label }) => label);
        const places = ticks.map(({ place }) => place);
        const widthOf = (line: string) => line.length * 6;
        return fitLabels(labels, places, { left: -60, right, widthOf }).every((label, i) => {
          const half = Math.max(...label.split('\n').map(widthOf)) / 2;
          return label === '' || ((places[i] ?? 0) + half <= right && label === labels[i]);
        });
      },
    ),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('a step that runs is no part of the line, and a dashed one leads to it', async (t) => {
  t.same(splitRunning([5, 6, 7, 2], 3), { final: [5, 6, 7, null], running: [null, null, 7, 2] });
  t.same(splitRunning([5, null, 2], 2), { final: [5, null, null], running: [null, null, 2] });
  t.same(splitRunning([2], 0), { final: [null], running: [2] });
  t.same(splitRunning([], 0), { final: [], running: [] });
});
