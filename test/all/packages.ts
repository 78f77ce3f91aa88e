import { fileURLToPath } from 'node:url';

/** The folder of the packages of this tier. */
export const modules = fileURLToPath(new URL('../../../test/all/node_modules', import.meta.url));
