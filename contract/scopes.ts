/**
 * Scopes of keys: write incidents, send telemetry, read the private analytics, run a page, run the installation. Keys of
 * the last are of no page.
 */
export const scopes = ['incident', 'ingest', 'read', 'manage', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** Scopes of the keys of a page. */
export const pageScopes = ['incident', 'ingest', 'read', 'manage'] as const satisfies readonly Scope[];
export type PageScope = (typeof pageScopes)[number];

/** The word after `key_` in the keys of each scope. */
export const scopePrefix: Readonly<Record<Scope, string>> = {
  incident: 'live',
  ingest: 'ingest',
  read: 'read',
  manage: 'manage',
  admin: 'admin',
};

/** Capabilities that an account is granted or denied as a whole. Routes of a denied capability answer 403. */
export const capabilities = ['incident-writes', 'internal-analytics', 'database-health'] as const;
export type Capability = (typeof capabilities)[number];
