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
import { starters } from '../../../control/boards/starters.js';
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
  clampPlace,
  columns,
  overlaps,
  type Place,
  placeTiles,
} from '../../../web/dashboard/screens/boards/place-tiles.js';
import { rangeOfBoard } from '../../../web/dashboard/screens/boards/view/board-range.js';
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

t.test('a tile is as high as its display needs, and a ready-made one stays as it is', async (t) => {
  const place = { x: 0, y: 0, width: 6, height: 1 };
  t.equal(clampPlace({ ...place, display: 'line' }).height, 3);
  t.equal(changePlace({ ...place, height: 4, display: 'number' }, { height: -9 }).height, 2);
  for (const slug of starterSlugs) {
    const { tiles } = starters[slug];
    t.strictSame(placeTiles(tiles), tiles, slug);
  }
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
