import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeReference } from './api-reference.js';

const folder = fileURLToPath(new URL('../../docs/', import.meta.url));
await mkdir(folder, { recursive: true });
await writeFile(`${folder}api-reference.md`, writeReference());
process.stdout.write(`Wrote ${folder}api-reference.md.\n`);
// The route table holds clients of stores, which would keep the process alive.
process.exit();
