import { changeIncident, loadIncidentPage, parseIncidentChange } from '../control/incidents/index.js';
import type { Command } from './command.js';
import { incidentText } from './incident-view.js';
import { parseOptions } from './parse-options.js';

export const incidentResolve: Command = {
  name: 'incident resolve',
  summary: 'resolve an incident without a word',
  help: `heartline incident resolve ID [options]

Gives an incident its end. To say something along with it: heartline incident update ID --status resolved --body TEXT

  --at TIME  such as 2026-01-31T23:00:00Z; now when left out
  --quiet    no email and no webhook
  --json     print one JSON object
`,
  async run(context, argv) {
    const options = {
      at: { type: 'string' },
      quiet: { type: 'boolean', default: false },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, ['ID']);
    const [id = ''] = positionals;
    const resolvedAt = values.at ?? new Date(context.clock.now()).toISOString();
    const change = parseIncidentChange({ resolvedAt, notify: !values.quiet });
    const sql = await context.openSql();
    const found = await loadIncidentPage({ sql }, { id });
    const incident = await changeIncident({ sql, clock: context.clock }, { ...found, change });
    if (incident === undefined) throw new Error(`There is no incident with the id "${id}".`);
    context.print(values.json ? incident : incidentText(incident));
  },
};
