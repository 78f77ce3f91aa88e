import fc from 'fast-check';
import t from 'tap';
import { canonicalJson } from '../../lib/json.js';
import { propertyOf } from '../support/property.js';

/** Returns the same JSON with the fields of its objects in reverse order. */
function turnAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnAround);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, turnAround(field)]),
  );
}

t.test('the order of fields and the spelling of numbers make no difference', async (t) => {
  const spellings = ['{"b":[1,-0],"a":{"d":"x","c":100}}', ' { "a":{"c":1e2,"d":"\\u0078"}, "b":[1.0,0] }'];
  for (const text of spellings) t.equal(canonicalJson(JSON.parse(text)), '{"a":{"c":100,"d":"x"},"b":[1,0]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => canonicalJson(turnAround(value)) === canonicalJson(value)),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('the text has the meaning of its value, and other values have other texts', async (t) => {
  const plain = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      t.strictSame(JSON.parse(canonicalJson(a)), a);
      return (canonicalJson(a) === canonicalJson(b)) === deepEqual(a, b);
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.not(canonicalJson([1, 2]), canonicalJson([2, 1]), 'an array has an order');
  t.not(canonicalJson({ a: null }), canonicalJson({}));
  t.not(canonicalJson({ a: '1' }), canonicalJson({ a: 1 }));
});

/** Compares structures. Both values come from JSON text, so neither contains -0. */
function deepEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ofA, ofB] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    ofA.size === ofB.size &&
    [...ofA].every(([name, value]) => ofB.has(name) && deepEqual(value, ofB.get(name)))
  );
}

t.test('values that JSON cannot hold are refused', async (t) => {
  t.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}');
  for (const value of [NaN, Infinity, [Infinity], undefined, { f() {} }]) {
    t.throws(() => canonicalJson(value), { name: 'TypeError' });
  }
});
