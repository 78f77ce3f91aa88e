import t from 'tap';
import { checkJavascript, readJavascript } from './check-javascript.js';

t.test('the JavaScript of the docs fits the packages', async (t) => {
  const { others } = await readJavascript();
  t.ok(others.length > 15, `${others.length} blocks`);
  await checkJavascript(t, others);
});
