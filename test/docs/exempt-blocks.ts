/** A block that the tests cannot run: it begins with `starts`. `page` ends before the name of the block's page does. */
export type Exemption = { page: string; starts: string; reason: string };

const needsDocker = 'needs Docker; test/deploy/ holds the files';
const needsCluster = 'needs a cluster; test/sql/cluster.test.ts runs the statements';
const held = (test: string): string => `${test} runs it`;

/** Every entry must begin exactly one block: one that matches none any more fails the test. */
export const exemptions: readonly Exemption[] = [
  { page: 'README.md', starts: 'npm ci && npm start', reason: '.ci/run does this first' },
  {
    page: 'README.md',
    starts: 'npx heartline demo',
    reason: `goes on until Ctrl-C; ${held('test/cli/demo.test.ts')}`,
  },
  ...['npm ci\n', 'npm test -- '].map((starts) => ({
    page: 'CONTRIBUTING.md',
    starts,
    reason: 'runs tests, of which this is one',
  })),
  { page: 'CONTRIBUTING.md', starts: 'npm run fuzz', reason: 'runs an hour' },
  {
    page: 'clients/pool-reporter/README.md',
    starts: 'npm ci && npm pack',
    reason: held('test/clients/pool-reporter.test.ts'),
  },
  { page: 'docs/get-started.md', starts: 'npm ci && npm start', reason: '.ci/run does this first' },
  ...['clients/reporter/README.md', 'docs/send-events.md', 'examples/README.md'].map((page) => ({
    page,
    starts: 'npm ci',
    reason: held('test/clients/reporter/package.test.ts'),
  })),
  { page: 'docs/otlp.md', starts: 'processors:', reason: held('test/docs/configurations.test.ts') },
  ...[
    'remote_write:',
    'scrape_configs:\n  - job_name: heartline-requests',
    'scrape_configs:\n  - job_name: heartline-status',
    'groups:',
  ].map((starts) => ({
    page: 'docs/prometheus.md',
    starts,
    reason: held('test/docs/configurations.test.ts'),
  })),
  ...['npx openapi-typescript', 'import createClient'].map((starts) => ({
    page: 'docs/api.md',
    starts,
    reason: held('test/all/contract/openapi-client.test.ts'),
  })),
  ...['# yaml-language-server', 'channels:\n'].map((starts) => ({
    page: 'docs/apply.md',
    starts,
    reason: held('test/cli/apply/apply.test.ts'),
  })),
  { page: 'docs/boards.md', starts: 'boards:', reason: held('test/cli/apply/boards.test.ts') },
  { page: 'docs/apply.md', starts: 'schedules:', reason: held('test/cli/apply/alerting.test.ts') },
  {
    page: 'docs/apply.md',
    starts: 'export HEARTLINE_URL=https://heartline.example.com',
    reason: `needs an installation with a certificate; ${held('test/cli/client/commands.test.ts')}`,
  },
  {
    page: 'docs/incidents.md',
    starts: 'PUT /api/v1/pages/acme/incidents/019c1ac7-…/texts',
    reason: held('test/contract/manage/incidents-texts.test.ts'),
  },
  {
    page: 'docs/incidents.md',
    starts: 'PUT /api/v1/pages/acme/incidents/019c1ac7-…/postmortem',
    reason: held('test/contract/manage/postmortems.test.ts'),
  },
  {
    page: 'docs/incidents.md',
    starts: 'heartline postmortem publish',
    reason: held('test/cli/postmortem.test.ts'),
  },
  {
    page: 'docs/monitors.md',
    starts: 'heartline import kuma',
    reason: held('test/cli/import-others.test.ts'),
  },
  {
    page: 'docs/status-page.md',
    starts: 'heartline page set acme --private',
    reason: held('test/cli/page.test.ts'),
  },
  { page: 'docs/architecture.md', starts: 'flowchart LR', reason: 'a drawing' },
  {
    page: 'docs/people.md',
    starts: 'Nobody can sign in yet',
    reason: held('test/service/welcome.test.ts'),
  },
  { page: 'docs/people.md', starts: 'BASE_URL=https', reason: held('test/service/config.test.ts') },
  {
    page: 'docs/backup.md',
    starts: 'HEARTLINE_DATA_DIR=/srv/heartline npx heartline restore',
    reason: held('test/cli/backup.test.ts'),
  },
  { page: 'docs/backup.md', starts: 'pg_dump', reason: 'needs a PostgreSQL server' },
  {
    page: 'docs/backup.md',
    starts: 'BACKUP DATABASE',
    reason: 'needs a ClickHouse server with a disk for backups',
  },
  { page: 'docs/backup.md', starts: 'pg_restore', reason: 'needs a PostgreSQL server' },
  {
    page: 'docs/backup.md',
    starts: 'RESTORE DATABASE',
    reason: 'needs a ClickHouse server with a disk for backups',
  },
  {
    page: 'docs/backup.md',
    starts: 'SELECT (SELECT count(*)',
    reason: 'for the PostgreSQL of the installation, which the service holds',
  },
  { page: 'docs/badges-and-feeds.md', starts: 'script-src', reason: held('test/browser/widget.test.ts') },
  { page: 'docs/cluster.md', starts: '<clickhouse>', reason: needsCluster },
  { page: 'docs/cluster.md', starts: 'ALTER USER heartline_sql', reason: needsCluster },
  { page: 'docs/cluster.md', starts: '   INSERT INTO checks', reason: needsCluster },
  { page: 'docs/cluster.md', starts: '   ALTER TABLE checks_local', reason: needsCluster },
  { page: 'docs/cluster.md', starts: 'INSERT INTO requests_minute', reason: needsCluster },
  { page: 'docs/cluster.md', starts: 'SELECT max(absolute_delay)', reason: needsCluster },
  { page: 'docs/cluster.md', starts: 'SYSTEM DROP REPLICA', reason: needsCluster },
  {
    page: 'docs/dashboard.md',
    starts: 'npx heartline demo',
    reason: `goes on until Ctrl-C; ${held('test/cli/demo.test.ts')}`,
  },
  { page: 'docs/deploy.md', starts: 'sh deploy/make-env.sh', reason: needsDocker },
  { page: 'docs/deploy.md', starts: 'docker compose exec mail', reason: needsDocker },
  { page: 'docs/cluster.md', starts: 'INSERT INTO failures', reason: needsCluster },
  ...['HEARTLINE_SMS_URL=https://ACXXXX', 'HEARTLINE_SMS_URL=https://API_USERNAME'].map((starts) => ({
    page: 'docs/contact-ways.md',
    starts,
    reason: 'needs an account of a provider',
  })),
  ...['- name: Announce the deployment', 'announce:'].map((starts) => ({
    page: 'docs/deployments.md',
    starts,
    reason: 'a step of a pipeline',
  })),
  { page: 'docs/deploy.md', starts: 'COMPOSE_PROFILES', reason: needsDocker },
  { page: 'docs/deploy.md', starts: 'BASE_URL=', reason: needsDocker },
  { page: 'docs/deploy.md', starts: 'docker network inspect', reason: needsDocker },
  { page: 'docs/deploy.md', starts: 'git pull', reason: needsDocker },
  { page: 'docs/deploy.md', starts: 'scrape_configs', reason: 'the configuration of Prometheus' },
  { page: 'docs/deploy.md', starts: 'livenessProbe', reason: held('test/contract/get-metrics.test.ts') },
  {
    page: 'docs/export.md',
    starts: 'heartline export figures',
    reason: `goes back to days before the installation of the tests; ${held('test/cli/export-figures.test.ts')}`,
  },
  {
    page: 'docs/export.md',
    starts: 'heartline figure-export set',
    reason: `needs a bucket; ${held('test/cli/figure-export.test.ts')}`,
  },
  {
    page: 'docs/export.md',
    starts: 'SELECT service',
    reason: 'runs in DuckDB',
  },
  {
    page: 'docs/event-stores.md',
    starts: 'heartline store set',
    reason: `needs a server of the tenant; ${held('test/cli/store.test.ts')}`,
  },
  { page: 'docs/mcp.md', starts: '   {"mcpServers"', reason: 'the configuration of a client' },
  { page: 'docs/mcp.md', starts: '{"changed": false', reason: held('test/contract/mcp.test.ts') },
  ...['0 3 * * *  backup.sh &&', '0 3 * * *  backup.sh;'].map((starts) => ({
    page: 'docs/monitors.md',
    starts,
    reason: 'a line of a crontab',
  })),
  {
    page: 'docs/operations.md',
    starts: 'heartline log show',
    reason: `needs the disk of another machine; ${held('test/cli/log-deliver.test.ts')}`,
  },
  { page: 'docs/reliability.md', starts: 'FAULT_SEED=12', reason: 'runs a test' },
  { page: 'docs/reliability.md', starts: 'HEARTLINE_TEST_TIER=all FAULT_TABLE=', reason: 'runs tests' },
  { page: 'docs/operations.md', starts: 'psql "$(node', reason: 'psql is not on every machine' },
  { page: 'docs/sql.md', starts: 'GRANT SELECT', reason: 'needs a ClickHouse server that stores its users' },
  {
    page: 'docs/sql.md',
    starts: 'curl --user',
    reason: `needs an installation with a certificate; ${held('test/api/clickhouse/protocol.test.ts')}`,
  },
  { page: 'docs/sql.md', starts: 'server {', reason: 'a part of the configuration of nginx' },
  { page: 'docs/sql.md', starts: 'CREATE USER', reason: held('test/analytics/sql/sql-documented.test.ts') },
  {
    page: 'docs/sql.md',
    starts: 'heartline: Unknown column',
    reason: 'what the command prints about the answer above',
  },
  ...[
    'useradd --system',
    'systemctl daemon-reload',
    'cat /var/lib/heartline/setup-link',
    'heartline page create --slug acme --hostname status.example.com',
    'systemctl start heartline-backup.service\nsystemctl list-timers',
    'systemctl stop heartline\nmv',
    'systemctl start heartline-backup.service\nsystemctl stop',
  ].map((starts) => ({
    page: 'docs/server.md',
    starts,
    reason: 'needs root and systemd; test/deploy/systemd.test.ts holds the units',
  })),
  { page: 'docs/email.md', starts: 'HEARTLINE_SMTP_URL', reason: 'a setting' },
  { page: 'docs/translation.md', starts: 'HEARTLINE_TRANSLATE_URL', reason: 'a setting' },
  {
    page: 'docs/uptime.md',
    starts: 'heartline import upptime',
    reason: `would check the servers of others; ${held('test/cli/import-upptime.test.ts')}`,
  },
  { page: 'docs/webhooks.md', starts: 'import { Webhook }', reason: held('test/control/webhooks/') },
];
