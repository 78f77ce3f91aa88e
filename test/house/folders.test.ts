import { posix } from 'node:path';
import t from 'tap';
import { readSources } from '../support/sources.js';

/** What a reader takes in at a glance. */
const filesMax = 25;

const sources = await readSources();

t.test(`a folder holds at most ${filesMax} files`, async (t) => {
  const files = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    files.set(folder, (files.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of files) {
    if (!folder.startsWith('test/')) t.ok(count <= filesMax, `${folder}: ${count}`);
  }
});
