import { sqlErrorAt } from './sql-refusal.js';
import { isParameterName, isSymbol, type Token } from './tokens.js';

/** Names of the parameters that a statement may have, each as `{from:DateTime}`. */
export const sqlParameterNames = ['from', 'to'] as const;
type Name = (typeof sqlParameterNames)[number];

/** Values of the parameters in milliseconds since the epoch. A DateTime has no parts of a second. */
export type SqlTimes = Readonly<Partial<Record<Name, number>>>;

const type = 'DateTime';

/**
 * Checks the parameters of a statement by the caller's text. Only the messages depend on it: the server fills in nothing
 * but the times of `queryParameters()`, and the syntax tree shows what the server has made of them.
 *
 * @throws ServiceError `invalidSql` for another name or type, and for a parameter without a value.
 */
export function checkParameters(sql: string, tokens: readonly Token[], times: SqlTimes): void {
  for (const [at, open] of tokens.entries()) {
    if (!isSymbol(open, '{')) continue;
    const [name, colon, first] = tokens.slice(at + 1, at + 4);
    if (!isParameterName(name) || !isSymbol(colon, ':')) continue;
    const known = sqlParameterNames.find((one) => one === name.text);
    if (known === undefined) {
      throw sqlErrorAt(sql, name.start, `There is no parameter ${name.text.slice(0, 40)}`, available);
    }
    const close = tokens[at + 4];
    if (first?.text !== type || !isSymbol(close, '}')) {
      const what = `The parameter ${known} must have the type ${type}`;
      throw sqlErrorAt(sql, first?.start ?? open.start, what, `Write {${known}:${type}}.`);
    }
    if (times[known] === undefined) {
      const what = `The parameter ${known} has no value`;
      throw sqlErrorAt(sql, open.start, what, `Give "${known}" next to the statement.`);
    }
  }
}

const available = `Available are ${sqlParameterNames.map((name) => `{${name}:${type}}`).join(' and ')}.`;

/** Returns the values for the server: times in UTC, which is the zone of the session. */
export function queryParameters(times: SqlTimes): Record<string, string> {
  const written = Object.entries(times).map(([name, ms]) => [
    name,
    new Date(ms).toISOString().slice(0, 19).replace('T', ' '),
  ]);
  return Object.fromEntries(written);
}

/**
 * Whether the arguments of `_CAST`, the function that the syntax tree has in the place of a parameter, are one of these
 * times and its type.
 */
export function isParameter(args: readonly { kind: string; text: string }[], times: SqlTimes): boolean {
  const [value, to] = args;
  const values = Object.values(times).map((ms) => `UInt64_${Math.floor(ms / 1000)}`);
  return (
    args.length === 2 &&
    value?.kind === 'Literal' &&
    values.includes(value.text) &&
    to?.kind === 'Literal' &&
    // The server keeps the spaces in front of the bracket.
    to.text.replace(/ +'$/, "'") === `'${type}'`
  );
}
