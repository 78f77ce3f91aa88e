import type { Part } from './replace-parts.js';
import { literal } from './table-statements.js';
import { isSymbol, isWord, type Token } from './tokens.js';

/** The answers to drivers that ask who they are, and where. */
export type DoorSession = {
  /** Name of the database of the page's tables. */
  database: string;
  /** The user who signed in: the slug of the page. */
  user: string;
};

/** Drivers switch on what a version has. Every ClickHouse that the service runs on has what this one has. */
export const doorVersion = '25.8.1.1';
/** Revision of the protocol of that version. Blocks in the format Native are never of a later one. */
export const doorRevision = 54_478;
/** Name of the server that answers. */
export const doorName = 'heartline';

const texts = (list: string): string => `CAST([${list}], 'Array(String)')`;

/** Functions about the server and the session by their names in lower case, with what they return here. */
const functions: Readonly<Record<string, (session: DoorSession) => string>> = {
  version: () => literal(doorVersion),
  currentdatabase: ({ database }) => literal(database),
  current_database: ({ database }) => literal(database),
  database: ({ database }) => literal(database),
  schema: ({ database }) => literal(database),
  currentuser: ({ user }) => literal(user),
  current_user: ({ user }) => literal(user),
  user: ({ user }) => literal(user),
  hostname: () => literal(doorName),
  fqdn: () => literal(doorName),
  fullhostname: () => literal(doorName),
  displayname: () => literal(doorName),
  servertimezone: () => literal('UTC'),
  revision: () => `toUInt32(${doorRevision})`,
  versionrevision: () => `toUInt32(${doorRevision})`,
  uptime: () => 'toUInt32(1)',
  connectionid: () => 'toUInt64(0)',
  connection_id: () => 'toUInt64(0)',
  serveruuid: () => "toUUID('00000000-0000-0000-0000-000000000000')",
  buildid: () => "''",
  currentroles: () => texts(''),
  enabledroles: () => texts(''),
  defaultroles: () => texts(''),
  currentprofiles: () => texts(''),
};

/** Words in front of which an expression has no name of its own. */
const enders = ['FROM', 'WHERE', 'LIMIT', 'UNION', 'ORDER'];

/** Returns the parts of a statement that ask for the server or the session, with what they return here. */
export function answerFunctions(tokens: readonly Token[], session: DoorSession): Part[] {
  return tokens.flatMap((token, at) => {
    const answer = token.kind === 'word' ? lookUp(token.text) : undefined;
    if (answer === undefined || isSymbol(tokens[at - 1], '.')) return [];
    const [open, close, next] = tokens.slice(at + 1, at + 4);
    if (!isSymbol(open, '(') || !isSymbol(close, ')') || close === undefined) return [];
    const isNameless = next === undefined || isSymbol(next, ',') || enders.some((word) => isWord(next, word));
    const name = isNameless ? ` AS \`${token.text}()\`` : '';
    return [{ start: token.start, end: close.end, text: `${answer(session)}${name}` }];
  });
}

function lookUp(name: string): ((session: DoorSession) => string) | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(functions, key) ? functions[key] : undefined;
}
