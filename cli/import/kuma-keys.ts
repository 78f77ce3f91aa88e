import type { Keys } from './keys.js';

/** Members of the JSON backup. */
export const kumaBackupKeys = {
  ...{ version: 'aside', monitorList: 'read' },
  ...{ notificationList: 'noted', proxyList: 'noted', statusPageList: 'noted', maintenanceList: 'noted' },
} as const satisfies Keys;

/** Tables of the database besides `monitor`; those that are not here are noted by name. */
export const kumaTableKeys = {
  ...{
    monitor: 'read',
    heartbeat: 'aside',
    stat_minutely: 'aside',
    stat_hourly: 'aside',
    stat_daily: 'aside',
  },
  ...{ user: 'aside', setting: 'aside', knex_migrations: 'aside', knex_migrations_lock: 'aside' },
  ...{ api_key: 'aside', monitor_tls_info: 'aside', notification_sent_history: 'aside' },
  ...{
    monitor_notification: 'aside',
    monitor_group: 'aside',
    monitor_tag: 'aside',
    monitor_maintenance: 'aside',
  },
  ...{ maintenance_status_page: 'aside', maintenance_timeslot: 'aside', status_page_cname: 'aside' },
  ...{ notification: 'noted', proxy: 'noted', status_page: 'noted', group: 'noted', incident: 'noted' },
  ...{ maintenance: 'noted', tag: 'noted', docker_host: 'noted', remote_browser: 'noted' },
} as const satisfies Keys;

/** Columns of the table `monitor`. The backup writes them with capitals: `retryInterval` is `retry_interval`. */
export const kumaKeys = {
  ...{ id: 'read', name: 'read', type: 'read', parent: 'read', active: 'read', force_inactive: 'read' },
  ...{ url: 'read', hostname: 'read', port: 'read', interval: 'read', maxretries: 'read', timeout: 'read' },
  ...{ method: 'read', headers: 'read', body: 'read', http_body_encoding: 'read', keyword: 'read' },
  ...{ accepted_statuscodes: 'read', accepted_statuscodes_json: 'read', description: 'read' },
  ...{ basic_auth_user: 'read', basic_auth_pass: 'read' },
  ...{ auth_method: 'noted', maxredirects: 'noted', retry_interval: 'noted', resend_interval: 'noted' },
  ...{ expiry_notification: 'noted', ignore_tls: 'noted', proxy_id: 'noted', tags: 'noted' },
  ...{ notification_idlist: 'noted', cache_bust: 'noted', ip_family: 'noted', ipfamily: 'noted' },
  ...{ domain_expiry_notification: 'noted', manual_status: 'noted', conditions: 'noted' },
  ...{ upside_down: 'left', invert_keyword: 'left' },
  // Where the row stands, what it was last, and secrets of the ways to sign in that a note names.
  ...{ weight: 'aside', user_id: 'aside', created_date: 'aside', path_name: 'aside', path: 'aside' },
  ...{ children_ids: 'aside', maintenance: 'aside', include_sensitive_data: 'aside', push_token: 'aside' },
  ...{ dns_last_result: 'aside', screenshot: 'aside', screenshot_delay: 'aside', bearer_token: 'read' },
  ...{
    auth_workstation: 'aside',
    auth_domain: 'aside',
    tls_ca: 'aside',
    tls_cert: 'aside',
    tls_key: 'aside',
  },
  ...{ oauth_client_id: 'aside', oauth_client_secret: 'aside', oauth_token_url: 'aside' },
  ...{ oauth_scopes: 'aside', oauth_audience: 'aside', oauth_auth_method: 'aside' },
  ...{ save_response: 'aside', save_error_response: 'aside', response_max_length: 'aside' },
  // Settings of other kinds of checks, which are left.
  ...{ packet_size: 'aside', ping_count: 'aside', ping_numeric: 'aside', ping_per_request_timeout: 'aside' },
  ...{
    dns_resolve_type: 'aside',
    dns_resolve_server: 'aside',
    docker_container: 'aside',
    docker_host: 'aside',
  },
  ...{ mqtt_topic: 'aside', mqtt_success_message: 'aside', mqtt_username: 'aside', mqtt_password: 'aside' },
  ...{ mqtt_check_type: 'aside', mqtt_websocket_path: 'aside', database_query: 'aside' },
  ...{ database_connection_string: 'aside', grpc_url: 'aside', grpc_protobuf: 'aside', grpc_body: 'aside' },
  ...{ grpc_metadata: 'aside', grpc_method: 'aside', grpc_service_name: 'aside', grpc_enable_tls: 'aside' },
  ...{ radius_username: 'aside', radius_password: 'aside', radius_secret: 'aside' },
  ...{ radius_called_station_id: 'aside', radius_calling_station_id: 'aside', game: 'aside' },
  ...{ gamedig_given_port_only: 'aside', json_path: 'aside', json_path_operator: 'aside' },
  ...{ expected_value: 'aside', kafka_producer_topic: 'aside', kafka_producer_brokers: 'aside' },
  ...{ kafka_producer_ssl: 'aside', kafka_producer_allow_auto_topic_creation: 'aside' },
  ...{ kafka_producer_message: 'aside', kafka_producer_sasl_options: 'aside', remote_browser: 'aside' },
  ...{ snmp_oid: 'aside', snmp_version: 'aside', snmp_v3_username: 'aside', rabbitmq_nodes: 'aside' },
  ...{ rabbitmq_username: 'aside', rabbitmq_password: 'aside', smtp_security: 'aside' },
  ...{ system_service_name: 'aside', expected_tls_alert: 'aside', ws_subprotocol: 'aside' },
  ...{ ws_ignore_sec_websocket_accept_header: 'aside', location: 'aside', protocol: 'aside' },
} as const satisfies Keys;

/** The name of a column for a member of the backup. */
export function kumaColumn(key: string): string {
  return key.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
}
