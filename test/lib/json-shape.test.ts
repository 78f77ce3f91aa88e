import t from 'tap';
import { findJsonExcess, jsonLimits } from '../../lib/json.js';

const find = (text: string) => findJsonExcess(Buffer.from(text));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

t.test('brackets in brackets are bounded, whether the text is complete or not', async (t) => {
  t.equal(find(nested(jsonLimits.depth)), undefined);
  t.equal(find(nested(jsonLimits.depth + 1)), 'depth');
  t.equal(find('{"a":'.repeat(jsonLimits.depth + 1)), 'depth');
  t.equal(find('['.repeat(2_000_000)), 'depth');
  t.equal(find(`[${`${nested(50)},`.repeat(3)}1]`), undefined, 'what is beside each other does not nest');
});

t.test('brackets, colons and commas are bounded', async (t) => {
  t.equal(find(`[${'{},'.repeat(jsonLimits.marks / 2 - 1)}1]`), undefined);
  t.equal(find(`[${'{},'.repeat(jsonLimits.marks / 2)}1]`), 'marks');
});

t.test('what is in a string does not count', async (t) => {
  t.equal(find(JSON.stringify({ a: '['.repeat(1_000_000) })), undefined);
  t.equal(find(JSON.stringify({ a: `\\"${'['.repeat(1_000)}"\\` })), undefined);
  t.equal(find(`["\\\\",${nested(jsonLimits.depth)}]`), 'depth', 'a string that ends in a backslash');
});
