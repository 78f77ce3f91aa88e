import type { Reporter } from '../../contract/events.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { PageNames } from './page-names.js';

type SourceRow = {
  kind: 'service' | 'reporter';
  source: string;
  name: string | null;
  region: string | null;
  team: string | null;
  service: string | null;
  expected_every_seconds: number | null;
};

/**
 * Removes the names that another process has deleted, and the reporters of which another instance has stored other
 * metadata, from memory. A name that is still in use is registered again. Costs two queries for each page.
 */
export async function recheckNames(sql: Sql, names: PageNames): Promise<void> {
  // Names that are learnt while the queries run may be missing from the answers.
  const held = { endpoints: [...names.endpoints.keys()], services: [...names.services.keys()] };
  const reporters = [...names.reporters.values()];
  const [endpoints, sources] = await Promise.all([
    sql<{ endpoint: string }[]>`SELECT endpoint FROM endpoints WHERE page_id = ${names.pageId}`,
    sql<SourceRow[]>`
      SELECT kind, source, name, region, team, service, expected_every_seconds
      FROM sources WHERE page_id = ${names.pageId}`,
  ]);
  const keptEndpoints = new Set(endpoints.map((row) => row.endpoint));
  const keptServices = new Set(sources.filter((row) => row.kind === 'service').map((row) => row.source));
  const stored = new Map(sources.filter((row) => row.kind === 'reporter').map((row) => [row.source, row]));
  names.forget({
    endpoints: held.endpoints.filter((text) => !keptEndpoints.has(text)),
    services: held.services.filter((text) => !keptServices.has(text)),
    reporters: reporters
      .filter(({ text, metadata }) => !isStored(metadata, stored.get(text)))
      .map(({ text }) => text),
  });
}

function isStored(reporter: Reporter, row: SourceRow | undefined): boolean {
  return (
    row !== undefined &&
    row.name === reporter.englishName &&
    row.region === (reporter.region ?? null) &&
    row.team === (reporter.team ?? null) &&
    row.service === (reporter.service ?? null) &&
    row.expected_every_seconds === (reporter.expectedEverySeconds ?? null)
  );
}
