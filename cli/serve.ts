import type { Command } from './command.js';
import { parseOptions } from './parse-options.js';

export const serveCommand: Command = {
  name: 'serve',
  summary: 'run the service (what npm start runs)',
  help: `heartline serve

Runs the service until SIGTERM or SIGINT. The environment configures it: HOST, PORT, BASE_URL, DATABASE_URL,
CLICKHOUSE_URL, HEARTLINE_DATA_DIR, HEARTLINE_SECRET_KEY, LOG_LEVEL. A store whose URL is not set is started in
the data folder.
`,
  async run(context, argv) {
    parseOptions(argv, {}, []);
    const { serve } = await import('../api/main.js');
    await serve(context.config);
  },
};
