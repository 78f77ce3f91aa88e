import { readFile } from 'node:fs/promises';
import t from 'tap';
import { referencePath, writeReference } from './api-reference.js';

t.test('docs/api-reference.md is what "npm run docs:api" writes', async (t) => {
  const text = await readFile(new URL(`../../../${referencePath}`, import.meta.url), 'utf8');
  const [written, kept] = [writeReference(), text].map((one) => one.split('\n'));
  const place = (written ?? []).findIndex((line, index) => line !== kept?.[index]);
  t.equal(place, -1, `line ${place + 1}: ${written?.[place]}`);
  t.equal(kept?.length, written?.length);
});
