import fc from 'fast-check';
import t from 'tap';
import { figureParameters } from '../../../contract/manage/board-figures.js';
import {
  boardLimits,
  boardVariables,
  figurePaths,
  starterSlugs,
  tileDisplays,
} from '../../../contract/manage/boards.js';
import { fillFigure as fillOnServer } from '../../../control/boards/fill-figure.js';
import {
  charsMax,
  displays,
  parametersOf,
  starterNames,
  tilesMax,
  variableNames,
} from '../../../web/dashboard/screens/boards/known.js';
import {
  changePlace,
  columns,
  overlaps,
  type Place,
  placeTiles,
} from '../../../web/dashboard/screens/boards/place-tiles.js';
import { rangeOfBoard } from '../../../web/dashboard/screens/boards/view/board-range.js';
import { tileHeat, tileLines, tileNumber, unitOf } from '../../../web/dashboard/screens/boards/view/draw.js';
import { sheetOf } from '../../../web/dashboard/screens/boards/view/sheet.js';
import { fillFigure } from '../../../web/dashboard/screens/boards/view/tile-reads.js';
import { valuesOf } from '../../../web/dashboard/screens/boards/view/variables.js';
import { propertyOf } from '../../support/property.js';

type Tile = Place & { id: string };

const place = fc.record({
  x: fc.integer({ min: -3, max: 20 }),
  y: fc.integer({ min: -3, max: 40 }),
  width: fc.integer({ min: -1, max: 20 }),
  height: fc.integer({ min: -1, max: 30 }),
});
const places = fc.array(place, { maxLength: boardLimits.tiles });
const named = (all: readonly Place[]): Tile[] => all.map((one, i) => ({ ...one, id: `t${i}` }));

function overlapping(tiles: readonly Tile[]): string[] {
  return tiles.flatMap((one, i) =>
    tiles.slice(i + 1).flatMap((other) => (overlaps(one, other) ? [`${one.id} ${other.id}`] : [])),
  );
}

const isOutside = ({ x, y, width, height }: Place) =>
  x < 0 || y < 0 || width < 1 || height < 1 || x + width > columns || height > boardLimits.tileRows;

t.test(
  'tiles never overlap, never lie outside of the grid, and stay where they are once placed',
  async (t) => {
    const parameters = propertyOf(t, { few: 500, many: 20_000 });
    fc.assert(
      fc.property(places, fc.nat(), (given, chosen) => {
        const tiles = named(given);
        const first = tiles[chosen % Math.max(1, tiles.length)]?.id;
        const placed = placeTiles(tiles, first);
        const again = placeTiles(placed);
        return (
          overlapping(placed).length === 0 &&
          !placed.some(isOutside) &&
          placed.every(({ id }, i) => id === tiles[i]?.id) &&
          JSON.stringify(again) === JSON.stringify(placed)
        );
      }),
      parameters,
    );
  },
);

t.test('a tile that is moved stands where it was put, and pushes others straight down', async (t) => {
  const parameters = propertyOf(t, { few: 500, many: 20_000 });
  const change = fc.record({
    x: fc.integer({ min: -12, max: 12 }),
    y: fc.integer({ min: -20, max: 20 }),
    width: fc.integer({ min: -12, max: 12 }),
    height: fc.integer({ min: -20, max: 20 }),
  });
  fc.assert(
    fc.property(places, fc.nat(), change, (given, chosen, by) => {
      const before = placeTiles(named(given));
      const tile = before[chosen % Math.max(1, before.length)];
      if (tile === undefined) return true;
      const wanted = changePlace(tile, by);
      const after = placeTiles(
        before.map((one) => (one === tile ? { ...one, ...wanted } : one)),
        tile.id,
      );
      const moved = after.find(({ id }) => id === tile.id);
      const isPut =
        moved !== undefined && JSON.stringify({ ...wanted, id: tile.id }) === JSON.stringify(moved);
      return (
        isPut &&
        after.every(
          (one, i) => one.id === tile.id || (one.x === before[i]?.x && one.y >= (before[i]?.y ?? 0)),
        )
      );
    }),
    parameters,
  );
});

t.test('a tile ends at the edges, and a smaller one stays where it begins', async (t) => {
  const tile = { x: 6, y: 0, width: 6, height: 4 };
  t.strictSame(changePlace(tile, { x: 1 }), tile);
  t.strictSame(changePlace(tile, { x: -1, y: -1 }), { ...tile, x: 5 });
  t.strictSame(changePlace(tile, { width: 1, height: 1 }), { ...tile, height: 5 });
  t.strictSame(changePlace(tile, { width: -9, height: -9 }), { ...tile, width: 1, height: 1 });
});

t.test('names and limits are those of the contract', async (t) => {
  t.strictSame(variableNames, boardVariables);
  t.strictSame(displays, tileDisplays);
  t.strictSame(starterNames, starterSlugs);
  t.strictSame(Object.keys(parametersOf), figurePaths);
  for (const path of figurePaths)
    t.strictSame([...parametersOf[path]].sort(), [...figureParameters(path)].sort(), path);
  const { nameChars: name, descriptionChars: description, titleChars: title, sqlChars: sql } = boardLimits;
  t.strictSame(charsMax, { name, description, title, sql, text: boardLimits.textChars });
  t.equal(tilesMax, boardLimits.tiles);
  t.equal(columns, boardLimits.columns);
});

t.test('a figure is read as the service reads it for a link', async (t) => {
  const range = { from: 'now-7d', to: 'now' };
  const values = { service: 'shop' };
  for (const path of figurePaths) {
    const figure = { path, parameters: { service: '{service}', endpoint: '{endpoint}', limit: '10' } };
    const { endpoint, ...filled } = fillFigure(figure, values, range);
    t.equal(endpoint, undefined, 'a parameter without a value is left out');
    t.strictSame(filled, fillOnServer(figure, { values, ...range }), path);
  }
});

t.test('the address says the values of variables, also that there is none', async (t) => {
  const variables = [
    { name: 'service', initial: 'shop' },
    { name: 'endpoint', initial: null },
  ] as const;
  t.strictSame(valuesOf(variables, {}), { service: 'shop' });
  t.strictSame(valuesOf(variables, { service: '*', endpoint: '/pay' }), { service: '', endpoint: '/pay' });
  t.strictSame(valuesOf(variables, { service: 'search', environment: 'eu' }), { service: 'search' });
});

t.test('the range of a board is one of the picker where it has that length', async (t) => {
  t.strictSame(rangeOfBoard('24h'), { from: 'now-1d', to: 'now' });
  t.strictSame(rangeOfBoard('90m'), { from: 'now-90m', to: 'now' });
  t.strictSame(rangeOfBoard('7d'), { from: 'now-7d', to: 'now' });
  t.strictSame(rangeOfBoard('?'), { from: 'now-1d', to: 'now' });
});

const point = (minute: number, count: number | null, p95Ms: number | null) => ({
  ...{ at: `2026-01-01T00:0${minute}:00.000Z`, count, errors: 0, clientErrors: 0 },
  ...{ averageMs: p95Ms, p50Ms: p95Ms, p95Ms, p99Ms: p95Ms },
});
const requests = {
  kind: 'figure',
  path: 'requests',
  data: {
    ...{ from: '', to: '', step: 60, keptFrom: null, notKept: null, unfinishedFrom: null, groupBy: null },
    series: [{ group: null, points: [point(0, 3, 12.5), point(1, 0, null), point(2, 5, 20)] }],
    truncated: false,
  },
} as const;

t.test('a figure over time is one line of the value that the tile names', async (t) => {
  const sheet = sheetOf(requests, 'line');
  const lines = tileLines(sheet, { value: 'p95Ms' });
  t.strictSame(
    lines?.series.map(({ key, values }) => ({ key, values })),
    [{ key: 'p95Ms', values: [12.5, null, 20] }],
    'a gap is no zero',
  );
  t.equal(lines?.stepSeconds, 60);
  t.strictSame(tileLines(sheet, {})?.series[0]?.values, [3, 0, 5], 'the first number without a value');
  t.strictSame([unitOf('p95Ms', undefined), unitOf('errorShare', undefined)], ['ms', 'share']);
  t.equal(unitOf('uptime_percent', '%'), 'number');
});

t.test('a total has the figure before; what only a newer service knows is empty', async (t) => {
  const now = { requests: 10, errorShare: 0.5 };
  const data = { now, previous: { requests: 5, errorShare: null } };
  const sheet = sheetOf({ kind: 'figure', path: 'totals', data }, 'number');
  t.match(tileNumber(sheet, { value: 'requests' }), { name: 'requests', now: 10, before: 5 });
  t.match(tileNumber(sheet, { value: 'errorShare' }), { now: 0.5, before: null });
  t.equal(sheetOf({ kind: 'figure', path: 'weather', data: {} }, 'table').result.rows, 0);
});

t.test('a heat map of a statement sums neighbouring buckets where it has too many', async (t) => {
  const row = (minute: number, bound: number, total: number) => ({
    ...{ time: `2026-01-01 00:0${minute}:00`, up_to_ms: bound, total: String(total) },
  });
  const result = {
    meta: [
      { name: 'time', type: 'DateTime' },
      { name: 'up_to_ms', type: 'Float64' },
      { name: 'total', type: 'UInt64' },
    ],
    data: [row(0, 10, 1), row(0, 20, 2), row(1, 30, 4), row(3, 40, 8)],
    rows: 4,
  };
  const heat = tileHeat({ result }, {}, 10);
  t.strictSame(
    heat?.rows.map(({ upTo }) => upTo),
    [10, 20, 30, 40],
  );
  t.strictSame(heat?.values, [[1, 2, 0, 0], [0, 0, 4, 0], null, [0, 0, 0, 8]]);
  const merged = tileHeat({ result }, {}, 2);
  t.strictSame(
    merged?.rows.map(({ upTo }) => upTo),
    [20, 40],
  );
  t.strictSame(merged?.values, [[3, 0], [0, 4], null, [0, 8]]);
});
