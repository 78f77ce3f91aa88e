import { type Role, roles } from '../service/config.js';
import { defineCommand } from './core/define-command.js';
import { oneOf } from './core/parse-arguments.js';

export const serveCommand = defineCommand({
  name: 'serve',
  summary: 'run the service (npm start runs this)',
  help: `Runs the service until SIGTERM or SIGINT. The environment configures it: HOST, PORT, BASE_URL, DATABASE_URL,
CLICKHOUSE_URL, HEARTLINE_DATA_DIR, HEARTLINE_SECRET_KEY, HEARTLINE_WORKERS, LOG_LEVEL and
HEARTLINE_LOG_FORMAT, and others that /docs/operations of the service lists. A store whose URL is not set is started in the data
folder.`,
  options: {
    roles: {
      value: 'ROLES',
      help: `what this instance does, separated by commas: api answers requests, jobs runs scheduled jobs, probe checks \
monitors, deliver sends email, webhooks and buffered events; all of them by default. Every instance answers \
/healthz, /readyz and /metrics.`,
      parse: parseRoles,
    },
  },
  async run(context, input) {
    const { serve } = await import('../service/main.js');
    await serve(context.config, input.roles ?? new Set(roles));
  },
});

function parseRoles(text: string, option: string): ReadonlySet<Role> {
  return new Set(text.split(',').map((role) => oneOf(role.trim(), roles, option)));
}
