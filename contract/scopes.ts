/** Scopes of keys: write incidents, send telemetry, read the private analytics. */
export const scopes = ['incident', 'ingest', 'read'] as const;
export type Scope = (typeof scopes)[number];

/** The word after `key_` in the keys of each scope. */
export const scopePrefix: Readonly<Record<Scope, string>> = {
  incident: 'live',
  ingest: 'ingest',
  read: 'read',
};

/** Capabilities that an account is granted or denied as a whole. Routes of a denied capability answer 403. */
export const capabilities = ['incident-writes', 'internal-analytics', 'database-health'] as const;
export type Capability = (typeof capabilities)[number];
