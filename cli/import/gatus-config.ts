import { parseAllDocuments } from 'yaml';
import { FileError } from '../apply/read-file.js';
import type { FindVariable } from '../apply/variables.js';
import { type Row, rowOf } from './values.js';

/** Characters of Unicode's private area, which mark where a variable and a dollar sign stand. */
const [open, close, dollar] = ['\ue000', '\ue001', '\ue002'];
const marked = new RegExp(`${open}(\\w+)${close}`, 'g');

/** A configuration, and its texts with the variables of the environment in them. */
export type GatusConfig = {
  value: Row;
  /** A text with the values of its variables. */
  resolve(text: string): string;
  /** A text with the names of its variables, which may be printed. */
  show(text: string): string;
  hasVariable(text: string): boolean;
  /** Names of variables in a value that are not set. */
  missingIn(value: unknown): string[];
};

/**
 * Reads a configuration as Gatus does: merge keys count, every scalar is its text, and `$NAME` and `${NAME}` are variables
 * (https://pkg.go.dev/os#Expand), `$$` is a dollar sign. Gatus fills in variables before it reads the YAML; here they are
 * marked then and filled in afterwards, so that nothing prints their values and one that is missing has a name.
 *
 * @throws FileError for what is no YAML
 */
export function readGatusConfig(text: string, find: FindVariable): GatusConfig {
  const [document] = parseAllDocuments(markVariables(text), {
    ...{ schema: 'failsafe', merge: true, logLevel: 'error', prettyErrors: false },
  });
  const [problem] = document === undefined || !('errors' in document) ? [] : document.errors;
  if (problem !== undefined) {
    const line = text.slice(0, problem.pos[0]).split('\n').length;
    throw new FileError(`This is no configuration of Gatus: line ${line}: ${problem.code.toLowerCase()}`);
  }
  const show = (shown: string) => shown.replaceAll(marked, '$${$1}').replaceAll(dollar, '$');
  return {
    value: rowOf(document?.toJS({ maxAliasCount: 100 })),
    show,
    hasVariable: (held) => held.search(marked) !== -1,
    resolve: (held) => held.replaceAll(marked, (_, name: string) => find(name) ?? '').replaceAll(dollar, '$'),
    missingIn: (value) => {
      const names = [...JSON.stringify(value ?? null).matchAll(marked)].map(([, name = '']) => name);
      return [...new Set(names)].filter((name) => find(name) === undefined);
    },
  };
}

function markVariables(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('$$', dollar)
    .replaceAll(/\$(?:\{([^}\s]*)\}|([A-Za-z_]\w*)|([\d*#@!?-]))/g, (_, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? '';
      // The variables of a shell, such as $1, are empty.
      return /^[A-Za-z_]\w*$/.test(name) ? `${open}${name}${close}` : '';
    });
}
