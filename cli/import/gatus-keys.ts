import type { Keys } from './keys.js';

/** Sections of the configuration. */
export const gatusKeys = {
  ...{ endpoints: 'read', services: 'read', 'external-endpoints': 'read', suites: 'left' },
  ...{ alerting: 'noted', maintenance: 'noted', remote: 'noted', connectivity: 'noted', security: 'noted' },
  ...{ tunneling: 'noted', announcements: 'noted', kubernetes: 'noted' },
  ...{ ui: 'aside', web: 'aside', storage: 'aside', metrics: 'aside', debug: 'aside', concurrency: 'aside' },
  ...{ 'skip-invalid-config-update': 'aside', 'disable-monitoring-lock': 'aside' },
} as const satisfies Keys;

/** Settings of an endpoint. */
export const gatusEndpointKeys = {
  ...{ name: 'read', enabled: 'read', group: 'read', url: 'read', method: 'read', interval: 'read' },
  ...{ headers: 'read', body: 'read', graphql: 'read', conditions: 'read', client: 'read', alerts: 'read' },
  ...{ dns: 'left', ssh: 'left', insecure: 'noted', 'maintenance-windows': 'noted', ui: 'noted' },
  ...{ 'extra-labels': 'noted', store: 'noted', 'always-run': 'noted' },
  ...{ 'client.timeout': 'read', 'client.insecure': 'noted', 'client.ignore-redirect': 'noted' },
  ...{ 'client.proxy-url': 'noted', 'client.oauth2': 'noted', 'client.identity-aware-proxy': 'noted' },
  ...{ 'client.tls': 'noted', 'client.tunnel': 'noted', 'client.dns-resolver': 'noted' },
  ...{ 'client.network': 'noted' },
  ...{ 'alerts.type': 'read', 'alerts.enabled': 'read', 'alerts.failure-threshold': 'read' },
  ...{ 'alerts.success-threshold': 'noted', 'alerts.minimum-reminder-interval': 'noted' },
  ...{
    'alerts.send-on-resolved': 'aside',
    'alerts.description': 'aside',
    'alerts.provider-override': 'aside',
  },
} as const satisfies Keys;

/** Settings of an external endpoint, besides its `alerts`. */
export const gatusExternalKeys = {
  ...{ name: 'read', enabled: 'read', group: 'read', heartbeat: 'read', 'heartbeat.interval': 'read' },
  ...{ alerts: 'read', token: 'aside', 'maintenance-windows': 'noted', 'extra-labels': 'noted', ui: 'noted' },
} as const satisfies Keys;
