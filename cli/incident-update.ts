import { updateStatuses } from '../contract/incidents.js';
import { appendUpdate, loadIncidentPage, parseNewUpdate } from '../control/incidents/index.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const incidentUpdate: Command = {
  name: 'incident update',
  summary: 'add to the timeline of an incident',
  help: `heartline incident update ID --body TEXT [options]

Adds an update; with the status resolved it also resolves an open incident. ID is as in: heartline incident list

  --body TEXT      in the default language of the page
  --status STATUS  ${updateStatuses.join(', ')}; investigating when left out
  --quiet          no email and no webhook
  --json           print one JSON object
`,
  async run(context, argv) {
    const options = {
      body: { type: 'string' },
      status: { type: 'string', default: 'investigating' },
      quiet: { type: 'boolean', default: false },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, ['ID']);
    const [id = ''] = positionals;
    const input = parseNewUpdate({
      body: required(values.body, '--body'),
      status: values.status,
      notify: !values.quiet,
    });
    const sql = await context.openSql();
    const found = await loadIncidentPage({ sql }, { id });
    const update = await appendUpdate({ sql, clock: context.clock }, { ...found, input });
    if (update === undefined) throw new Error(`There is no incident with the id "${id}".`);
    if (values.json) return context.print(update);
    context.print(
      `Posted as ${update.status}${update.resolvedIncident ? '; the incident is resolved' : ''}.\n`,
    );
  },
};
