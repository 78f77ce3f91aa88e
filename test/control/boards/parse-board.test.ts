import t from 'tap';
import { figureParameters, takesRange } from '../../../contract/manage/board-figures.js';
import { figurePaths, type Tile } from '../../../contract/manage/boards.js';
import { fillFigure, parseBoard, valuesOf } from '../../../control/boards/index.js';

const tile: Tile = {
  ...{ id: 'a', title: ' A ', x: 0, y: 0, width: 6, height: 2, display: 'line' },
  source: { figure: { path: 'requests', parameters: { service: '{service}', status: '500' } } },
};
const board = { name: ' Board ', variables: { service: {} }, tiles: [tile] };

t.test('names are trimmed, defaults are filled in, and the result stays as it is', async (t) => {
  const parsed = parseBoard(board);
  t.strictSame(parsed, {
    ...{ name: 'Board', description: '', range: '24h', variables: { service: {} } },
    tiles: [{ ...tile, title: 'A' }],
  });
  t.strictSame(parseBoard(parsed), parsed);
});

t.test('tiles may touch, and may not lie over each other', async (t) => {
  const beside: Tile = { ...tile, id: 'b', x: 6 };
  const below: Tile = { ...tile, id: 'c', y: 2, width: 12 };
  t.equal(parseBoard({ ...board, tiles: [tile, beside, below] }).tiles.length, 3);
  const over: Tile = { ...below, y: 1 };
  t.throws(() => parseBoard({ ...board, tiles: [tile, beside, over] }), {
    ...{ kind: 'invalidBody', field: '/tiles/2', message: /"c" lies over the tile "a"/ },
  });
});

t.test('every read has known parameters, and the board gives the time range', async (t) => {
  for (const path of figurePaths) {
    t.notOk(figureParameters(path).includes('from'), path);
    for (const name of figureParameters(path)) {
      const figure: Tile = { ...tile, source: { figure: { path, parameters: { [name]: '1' } } } };
      t.equal(parseBoard({ ...board, tiles: [figure] }).tiles.length, 1, `${path} ${name}`);
    }
  }
  t.ok(takesRange('requests'));
  t.notOk(takesRange('reporters'));
});

t.test('a variable stands for a whole value, and without one the parameter is left out', async (t) => {
  const range = { from: 'now-1h', to: 'now' };
  const { variables } = parseBoard({ ...board, variables: { service: { initial: 'shop' }, endpoint: {} } });
  const values = valuesOf({ variables }, {});
  t.strictSame(values, { service: 'shop' });
  t.strictSame(valuesOf({ variables }, { service: 'a', endpoint: '/b' }), { service: 'a', endpoint: '/b' });
  t.strictSame(valuesOf({ variables }, { service: '', environment: 'x' }), {}, 'only variables of the board');
  const figure = {
    path: 'requests' as const,
    parameters: { service: '{service}', endpoint: '{endpoint}', method: 'x{service}', status: '500' },
  };
  t.strictSame(fillFigure(figure, { values, ...range }), {
    ...{ service: 'shop', method: 'x{service}', status: '500' },
    ...range,
  });
  t.strictSame(fillFigure({ path: 'reporters' }, { values, ...range }), {});
});
