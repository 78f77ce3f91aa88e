import { jobActor } from '../control/audit/index.js';
import { createKey } from '../control/keys/index.js';
import { changePage, createPage, listPages } from '../control/pages/index.js';
import type { Clock } from '../lib/clock.js';
import { pageOrigin } from '../lib/page-origin.js';
import { openPostgres } from '../sql/open-postgres.js';
import { accountPaths } from '../web/account/paths.js';
import { type PageAddresses, pageLines } from './page-addresses.js';

/** Scopes of the keys that the first start prints. */
const demoScopes = ['incident', 'ingest', 'read'] as const;

export type Demo = { slug: string; hostname: string; keys: Record<(typeof demoScopes)[number], string> };

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

export type Welcome = {
  pages: PageAddresses;
  /** The page that this start has made. */
  demo: Demo | undefined;
  /** Where events are when they are acknowledged. */
  acknowledgedFrom: string;
  /** What the printed commands begin with. */
  prefix: string;
  /** The link with which the first user is created, while there is none. */
  setupUrl?: string | undefined;
};

/** What the service prints when it listens. The keys are shown only this once. */
export function welcome(url: string, { pages, demo, acknowledgedFrom, prefix, setupUrl }: Welcome): string {
  const addresses = `
Heartline listens on ${url}
  pages        ${pageLines(pages, prefix).join('\n               ')}
  events       acknowledged from ${acknowledgedFrom}
  sign in      ${url}/manage
  health       ${url}/readyz
  metrics      ${url}/metrics
  description  ${url}/openapi.json
${setupUrl === undefined ? '' : setupText(setupUrl, demo)}`;
  if (demo === undefined) return `${addresses}\n`;
  return `${addresses}
The page "${demo.slug}" has been created: ${pageOrigin(new URL(url), demo.hostname)}/
It has three keys, which are not shown again:
  ingest    ${demo.keys.ingest}
  read      ${demo.keys.read}
  incident  ${demo.keys.incident}

Try it:
  curl -s ${url}/api/v1/events -H 'Authorization: Bearer ${demo.keys.ingest}' \\
    -d '[{"service":"shop","endpoint":"/cart/:id","status":200,"ms":12.5}]'
  curl -s '${url}/api/v1/analytics/reporters?window=3600' -H 'Authorization: Bearer ${demo.keys.read}'

See a page of its own with 90 days of history and live traffic: ${prefix} demo

`;
}

function setupText(setupUrl: string, demo: Demo | undefined): string {
  const demoOwner =
    demo === undefined ? '' : `\nThe page "${demo.slug}" then belongs to the person who sets up.`;
  return `
Nobody can sign in yet. Create your account within a day:
  ${setupUrl}${demoOwner}
`;
}
