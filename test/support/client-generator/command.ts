import { fileURLToPath } from 'node:url';

const cli = new URL('../../../../node_modules/openapi-typescript/bin/cli.js', import.meta.url);

/** Arguments of Node.js that run `openapi-typescript`, which writes the types of a description. */
export const generatorArguments: readonly string[] = [
  ...['--import', new URL('./register.js', import.meta.url).href],
  fileURLToPath(cli),
];
