/** What a key may do: write incidents, send telemetry, or read the private analytics. */
export const scopes = ['incident', 'ingest', 'read'] as const;
export type Scope = (typeof scopes)[number];

/** The word behind `key_` in a key of each scope. */
export const scopePrefix: Readonly<Record<Scope, string>> = {
  incident: 'live',
  ingest: 'ingest',
  read: 'read',
};

/** What an account can be granted or denied as a whole; a route of a denied one answers 403. */
export const capabilities = ['incident-writes', 'internal-analytics', 'database-health'] as const;
export type Capability = (typeof capabilities)[number];
