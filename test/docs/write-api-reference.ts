import { writeFile } from 'node:fs/promises';
import { referencePath, writeReference } from './api-reference.js';

await writeFile(new URL(`../../../${referencePath}`, import.meta.url), writeReference());
// The route table holds clients of stores, which would keep the process alive.
process.exit();
