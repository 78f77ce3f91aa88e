import t from 'tap';
import type { Tile } from '../../../contract/manage/boards.js';
import { tellField } from '../../../web/dashboard/screens/boards/edit/tell-changes.js';
import {
  namesUnknown,
  tileOf,
  tilesWithoutVariable,
  tileValues,
} from '../../../web/dashboard/screens/boards/edit/tile-values.js';
import { boardsTexts } from '../../../web/dashboard/screens/boards/texts.js';

const { en } = boardsTexts;
const traffic: Tile = {
  ...{ id: 'traffic', title: 'Traffic', x: 0, y: 0, width: 6, height: 4, display: 'line' },
  source: { figure: { path: 'requests', parameters: { step: '60', service: '{service}' } } },
};
const slow: Tile = {
  ...{ id: 'slow', title: 'Slow', x: 6, y: 0, width: 6, height: 4, display: 'table', unit: 'ms' },
  source: { sql: 'SELECT 1' },
};
const note: Tile = {
  ...{ id: 'note', title: 'Note', x: 0, y: 4, width: 6, height: 4, display: 'text' },
  source: { text: 'Call us' },
};

t.test('a version of the tiles says how it differs from what both people began with', async (t) => {
  const base = [traffic, slow];
  const tell = (tiles: Tile[]) => tellField(tiles, base, en).split('\n');
  t.strictSame(tell([slow, traffic]), ['The tiles are as they were'], 'the order is none of the changes');
  t.strictSame(tell([{ ...traffic, x: 2, y: 4 }, note]), [
    '“Note” is added',
    '“Traffic”: Column 3, row 5, 6 wide, 4 high',
    '“Slow” is removed',
  ]);
  const { unit: _, ...unitless } = slow;
  const renamed: Tile = { ...unitless, title: 'Slower', display: 'bar', source: { sql: 'SELECT 2' } };
  t.strictSame(
    tell([traffic, renamed]),
    ['Title: Slower', 'SQL: SELECT 2', 'Display: Bars', 'Unit: –'].map((change) => `“Slow”: ${change}`),
  );
});

t.test('the filters of a figure have no order', async (t) => {
  const tell = (parameters: Record<string, string>) =>
    tellField([{ ...traffic, source: { figure: { path: 'requests', parameters } } }], [traffic], en);
  t.equal(tell({ service: '{service}', step: '60' }), 'The tiles are as they were');
  t.equal(tell({ step: '60' }), '“Traffic”: A figure: Requests over time, step=60');
});

t.test('the variables of a board are told by their titles', async (t) => {
  const chosen = { endpoint: {}, service: { initial: 'shop' } };
  t.equal(tellField(chosen, [], en), 'Service, at first shop\nEndpoint');
  t.equal(tellField({}, [], en), '');
  t.equal(tellField('24h', [], en), '24h');
});

t.test('a filter names only variables that the board has', async (t) => {
  const variables = { service: {} };
  t.strictSame(
    ['{service}', '{endpoint}', '{region}', '{}', 'shop', ''].map((value) => namesUnknown(value, variables)),
    [false, true, true, true, false, false],
  );
  t.strictSame(tilesWithoutVariable([traffic, slow, note], {}), [traffic]);
  t.strictSame(tilesWithoutVariable([traffic, slow, note], variables), []);
});

t.test('a tile that is edited keeps its id, and a new one has none that was there', async (t) => {
  t.strictSame(tileOf(tileValues(slow, []), slow.id), slow);
  const ids = Array.from({ length: 20 }, () => tileOf(tileValues(undefined, []), undefined).id);
  t.equal(new Set(ids).size, 20);
  t.strictSame(
    ids.filter((id) => !/^tile-[0-9a-f]{8}$/.test(id)),
    [],
  );
});
