import type { Keys } from './keys.js';

/** Columns of the table `monitors` of Kener 3 and 4. */
export const kenerKeys = {
  ...{ tag: 'read', name: 'read', description: 'read', cron: 'read', status: 'read', category_name: 'read' },
  ...{ monitor_type: 'read', type_data: 'read', is_hidden: 'read', confirmation_threshold: 'read' },
  ...{ down_trigger: 'noted', degraded_trigger: 'noted', monitor_settings_json: 'noted', image: 'noted' },
  ...{ external_url: 'read', default_status: 'noted' },
  ...{ id: 'aside', created_at: 'aside', updated_at: 'aside', day_degraded_minimum_count: 'aside' },
  ...{ day_down_minimum_count: 'aside', include_degraded_in_downtime: 'aside' },
} as const satisfies Keys;

/** Members of `type_data`, the settings of a check. */
export const kenerCheckKeys = {
  ...{ url: 'read', method: 'read', headers: 'read', body: 'read', timeout: 'read', hosts: 'read' },
  ...{ downRemainingMinutes: 'read', degradedRemainingMinutes: 'noted', eval: 'noted', tcpEval: 'noted' },
  ...{ allowSelfSignedCert: 'noted', hideURLForGet: 'aside', secretString: 'aside' },
  ...{ 'hosts.host': 'read', 'hosts.port': 'read', 'hosts.timeout': 'read', 'hosts.type': 'aside' },
} as const satisfies Keys;

/** Tables of the database of Kener 3 and 4. */
export const kenerTableKeys = {
  ...{ monitors: 'read', incidents: 'read', incident_comments: 'read', incident_monitors: 'read' },
  ...{ pages: 'read', pages_monitors: 'read', pages_monitor_groups: 'read', maintenances: 'read' },
  ...{ maintenance_monitors: 'read', maintenances_events: 'read' },
  ...{ triggers: 'noted', monitor_alerts_config: 'noted', subscribers: 'noted', subscriptions: 'noted' },
  ...{
    user_subscriptions_v2: 'noted',
    subscriber_users: 'noted',
    subscriber_methods: 'noted',
    vault: 'noted',
  },
  ...{ content_translations: 'noted', incident_templates: 'noted', templates: 'noted' },
  ...{ monitoring_data: 'aside', monitor_alerts: 'aside', monitor_alerts_v2: 'aside', site_data: 'aside' },
  ...{ users: 'aside', api_keys: 'aside', invitations: 'aside', images: 'aside', roles: 'aside' },
  ...{ users_roles: 'aside', roles_permissions: 'aside', permissions: 'aside', knex_migrations: 'aside' },
  ...{ knex_migrations_lock: 'aside', subscription_config: 'aside', email_triggers_config: 'aside' },
  ...{ general_email_templates: 'aside', subscription_triggers: 'aside' },
  ...{ monitor_alerts_config_triggers: 'aside', monitor_alerts_config_monitors: 'aside' },
} as const satisfies Keys;
