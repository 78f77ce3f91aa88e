import t from 'tap';
import { Check } from 'typebox/value';
import { PutBoard, starterSlugs } from '../../../contract/manage/boards.js';
import { parseBoard, starters } from '../../../control/boards/index.js';

t.test('every ready-made board passes its own checks', async (t) => {
  for (const slug of starterSlugs) {
    t.ok(Check(PutBoard, starters[slug]), slug);
    t.strictSame(parseBoard(starters[slug]).tiles, starters[slug].tiles, slug);
  }
});

t.test('a board with a variable uses it, and no tile is left beside the grid', async (t) => {
  for (const slug of starterSlugs) {
    const { variables = {}, tiles } = starters[slug];
    const written = JSON.stringify(tiles);
    for (const name of Object.keys(variables)) t.ok(written.includes(`"{${name}}"`), `${slug} ${name}`);
    t.equal(Math.min(...tiles.map(({ x }) => x)), 0, slug);
    t.equal(Math.max(...tiles.map(({ x, width }) => x + width)), 12, slug);
  }
});
