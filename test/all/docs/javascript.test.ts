import { join } from 'node:path';
import t from 'tap';
import { checkJavascript, readJavascript } from '../../docs/check-javascript.js';
import { modules } from '../packages.js';

t.test('the JavaScript of the docs fits the packages of this tier', async (t) => {
  const { further } = await readJavascript();
  t.ok(further.length > 1, `${further.length} blocks`);
  await checkJavascript(t, further, [modules, join(modules, '../../../node_modules')]);
});
