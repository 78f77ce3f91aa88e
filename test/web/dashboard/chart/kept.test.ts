import t from 'tap';
import { makeFormat } from '../../../../web/dashboard/format.js';
import {
  drawnNotes,
  keptSentence,
  runningStep,
  stepText,
  unfinishedIndex,
  unfinishedText,
  unkeptSpans,
} from '../../../../web/dashboard/kit/chart/kept.js';
import { chartTexts } from '../../../../web/dashboard/kit/chart/texts.js';

const texts = chartTexts.en;
const hour = 3_600_000;
const start = Date.parse('2026-11-13T00:00:00.000Z');
const axis = {
  times: [0, 1, 2, 3].map((i) => start + i * hour),
  stepMs: hour,
  from: start,
  to: start + 4 * hour,
};
const iso = (at: number) => new Date(at).toISOString();

t.test('what is not kept is shaded up to where figures begin, and a sentence says why', async (t) => {
  const notes = drawnNotes({ keptFrom: iso(start + 1.5 * hour), unfinishedFrom: null }, axis);
  t.strictSame(unkeptSpans(notes, axis, texts), [
    { from: start, to: start + 1.5 * hour, label: 'no longer kept', kind: 'unkept' },
  ]);
  const { moment } = makeFormat('en');
  t.equal(
    keptSentence(notes, { moment }, texts),
    `Figures before ${moment(start + 1.5 * hour)} are no longer kept.`,
  );
  t.match(keptSentence(notes, { moment }, chartTexts.de), /nicht mehr aufbewahrt/);
});

t.test('a range that is older than all that is kept is shaded to its end', async (t) => {
  const notes = drawnNotes({ keptFrom: iso(start + 90 * hour), unfinishedFrom: null }, axis);
  t.match(unkeptSpans(notes, axis, texts), [{ from: axis.from, to: axis.to }]);
});

t.test('steps that run say so, and no other', async (t) => {
  const notes = drawnNotes({ keptFrom: null, unfinishedFrom: iso(start + 3 * hour) }, axis);
  t.strictSame(
    [...axis.times, undefined].map((at) => unfinishedText(notes, at, texts)),
    [[], [], [], ['so far'], []],
  );
  t.equal(unfinishedIndex(notes, axis), 3);
  t.equal(unfinishedIndex({ keptFrom: undefined, unfinishedFrom: undefined }, axis), undefined);
  const moment = (at: number) => iso(at).slice(11, 16);
  t.strictSame(
    axis.times.slice(2).map((at) => stepText(notes, at, { moment, texts })),
    ['02:00', '03:00, so far'],
    'in the table, too',
  );
  t.equal(stepText(notes, start + 3 * hour, { moment, texts: chartTexts.de }), '03:00, bisher');
});

t.test('without notes of the service, the running step is the first that ends later than now', async (t) => {
  const stepAt = (now: number) => runningStep(axis.times, axis.stepMs, now);
  t.equal(stepAt(start + 3.5 * hour), iso(start + 3 * hour));
  t.equal(stepAt(start + 4 * hour), null, 'it has just ended');
  t.equal(stepAt(start + 2 * hour), iso(start + 2 * hour));
  t.equal(runningStep([], hour, start), null);
});

t.test('a chart whose figures are all kept and final has no notes', async (t) => {
  for (const given of [
    undefined,
    { keptFrom: null, unfinishedFrom: null },
    { keptFrom: iso(axis.from), unfinishedFrom: iso(axis.to) },
  ]) {
    const notes = drawnNotes(given, axis);
    t.strictSame(notes, { keptFrom: undefined, unfinishedFrom: undefined });
    t.strictSame(unkeptSpans(notes, axis, texts), []);
    t.equal(keptSentence(notes, makeFormat('en'), texts), undefined);
  }
});
