import { jobActor } from '../control/audit/index.js';
import { createKey } from '../control/keys/index.js';
import { changePage, createPage, listPagePlaces, listPages } from '../control/pages/index.js';
import type { Clock } from '../lib/clock.js';
import { pageOrigin } from '../lib/web-address.js';
import { openPostgres } from '../sql/open-postgres.js';
import { accountPaths } from '../web/account/manage-paths.js';
import { quoteForShell } from './addresses.js';

/** Scopes of the keys that the first start makes. */
const demoScopes = ['incident', 'ingest', 'read'] as const;

type DemoKeys = Record<(typeof demoScopes)[number], string>;

export type Demo = { slug: string; hostname: string; keys: DemoKeys };

/** Creates the page `demo` with a key each for incidents, telemetry and reads on an installation without pages. Returns `undefined` on any other. */
export async function makeDemoPage(
  databaseUrl: string,
  { clock, url }: { clock: Clock; url: string },
): Promise<Demo | undefined> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    if ((await listPages({ sql })).length > 0) return undefined;
    const deps = { sql, clock, by: jobActor('first-start') };
    const page = await createPage(deps, { slug: 'demo', hostname: 'localhost', name: 'Demo' });
    // People who come to the address of the machine see this page, and look for the dashboard.
    const signIn = { label: 'Sign in', url: new URL(accountPaths.home, url).href };
    await changePage(deps, page.id, { footerLinks: [signIn] });
    const keys: Partial<Demo['keys']> = {};
    for (const scope of demoScopes)
      keys[scope] = (await createKey(deps, { pageId: page.id, scope, name: 'first start' })).key;
    const { incident = '', ingest = '', read = '' } = keys;
    return { slug: page.slug, hostname: page.hostname, keys: { incident, ingest, read } };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** How somebody gets the link that creates the first admin: as it is, in a file, or from a command. */
export type HandedLink = { url: string } | { file: string } | 'command';

/** How somebody gets the keys of the page that a first start has made. */
export type HandedDemo = Omit<Demo, 'keys'> & { keys: DemoKeys | { file: string } | 'command' };

export type Welcome = {
  pages: PageAddresses;
  /** The page that this start has made. */
  demo: HandedDemo | undefined;
  /** Where events are when they are acknowledged. */
  acknowledgedFrom: string;
  /** The beginning of the printed commands. */
  prefix: string;
  /** The link with which the first user is created, while there is none. */
  setUp?: HandedLink | undefined;
};

/** Returns the text that the service prints when it listens. The keys are shown only this once. */
export function welcome(url: string, { pages, demo, acknowledgedFrom, prefix, setUp }: Welcome): string {
  const addresses = `
Heartline listens on ${url}
  pages        ${pageLines(pages, prefix).join('\n               ')}
  events       acknowledged from ${acknowledgedFrom}
  sign in      ${url}/manage
  health       ${url}/readyz
  metrics      ${url}/metrics
  description  ${url}/openapi.json
${setUp === undefined ? '' : setUpText(setUp, { demo, prefix })}`;
  if (demo === undefined) return `${addresses}\n`;
  const { keys } = demo;
  return `${addresses}
The page "${demo.slug}" has been created: ${pageOrigin(new URL(url), demo.hostname)}/
${keysText(keys, prefix)}
Try it:
  curl -s ${url}/api/v1/events -H ${bearer(keys, 'ingest')} \\
    -d '[{"service":"shop","endpoint":"/cart/:id","status":200,"ms":12.5}]'
  curl -s '${url}/api/v1/analytics/reporters?window=3600' -H ${bearer(keys, 'read')}

See a page of its own with 90 days of history and live traffic: ${prefix} demo

`;
}

/** Returns a line for each key, as a file has them. */
export function keyLines({ ingest, read, incident }: DemoKeys): string {
  return `ingest    ${ingest}\nread      ${read}\nincident  ${incident}\n`;
}

function keysText(keys: HandedDemo['keys'], prefix: string): string {
  if (keys === 'command') return `Make keys for it: ${prefix} key create --help\n`;
  if ('file' in keys) {
    return `It has three keys, which are not shown again. Only you can read the file with them; delete it when you have them:
  ${keys.file}
`;
  }
  const lines = keyLines(keys).replaceAll(/^(?=.)/gm, '  ');
  return `It has three keys, which are not shown again:\n${lines}`;
}

/** Returns the header with a key as one word of a shell, which reads it from the file where there is one. */
function bearer(keys: HandedDemo['keys'], scope: (typeof demoScopes)[number]): string {
  if (keys === 'command') return "'Authorization: Bearer KEY'";
  if (!('file' in keys)) return `'Authorization: Bearer ${keys[scope]}'`;
  return `"Authorization: Bearer $(sed -n 's/^${scope} *//p' ${quoteForShell(keys.file)})"`;
}

function setUpText(
  setUp: HandedLink,
  { demo, prefix }: { demo: HandedDemo | undefined; prefix: string },
): string {
  const demoOwner =
    demo === undefined ? '' : `\nThe page "${demo.slug}" then belongs to the person who sets up.`;
  if (setUp === 'command') {
    return `
Nobody can sign in yet. Create your account; the command prints a link to choose its password:
  ${prefix} user create --email EMAIL --name NAME --admin
`;
  }
  if ('file' in setUp) {
    return `
Nobody can sign in yet. Create your account within a day with the link in this file, which only you can read:
  ${setUp.file}${demoOwner}
`;
  }
  return `
Nobody can sign in yet. Create your account within a day:
  ${setUp.url}${demoOwner}
`;
}

/** The addresses of the first pages by slug, and how many further pages there are. */
export type PageAddresses = { addresses: string[]; more: number };

const listedMax = 10;

/** Loads what every start prints. `url` is the address of the service. */
export async function loadPageAddresses(databaseUrl: string, url: string): Promise<PageAddresses> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const { pages, more } = await listPagePlaces({ sql }, listedMax);
    const base = new URL(url);
    return { addresses: pages.map(({ hostname }) => `${pageOrigin(base, hostname)}/`), more };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns the addresses as lines for a person; `prefix` begins the commands in them. */
export function pageLines({ addresses, more }: PageAddresses, prefix: string): string[] {
  if (addresses.length === 0) return [`none yet; make one: ${prefix} page create --help`];
  return more === 0 ? addresses : [...addresses, `and ${more} more: ${prefix} page list`];
}
