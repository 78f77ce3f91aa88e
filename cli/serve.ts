import { type Role, roles } from '../service/roles.js';
import type { Command } from './command.js';
import { oneOf, parseOptions } from './parse-options.js';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service (what npm start runs)',
  help: `heartline serve [--roles ROLES]

Runs the service until SIGTERM or SIGINT. The environment configures it: HOST, PORT, BASE_URL, DATABASE_URL,
CLICKHOUSE_URL, HEARTLINE_DATA_DIR, HEARTLINE_SECRET_KEY, HEARTLINE_WORKERS, LOG_LEVEL. A store whose URL is not set
is started in the data folder.

  --roles ROLES  what this instance does, with commas between: api answers requests, jobs runs what is scheduled, probe
                 checks monitors, deliver sends email, webhooks and buffered events; all of them when not given. Every
                 instance answers /healthz, /readyz and /metrics.
`,
  async run(context, argv) {
    const { values } = parseOptions(argv, { roles: { type: 'string' } }, []);
    const wanted = values.roles?.split(',').map((role) => oneOf(role.trim(), roles, '--roles'));
    const { serve } = await import('../service/main.js');
    await serve(context.config, new Set<Role>(wanted ?? roles));
  },
};
