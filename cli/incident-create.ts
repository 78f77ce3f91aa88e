import { incidentTypes } from '../contract/incidents.js';
import { createIncident, parseNewIncident } from '../control/incidents/index.js';
import { loadPageId } from '../control/pages/index.js';
import type { Command } from './command.js';
import { incidentText } from './incident-view.js';
import { parseOptions, required } from './parse-options.js';

export const incidentCreate: Command = {
  name: 'incident create',
  summary: 'open an incident, or schedule maintenance',
  help: `heartline incident create --page SLUG --title TEXT --summary TEXT [options]

Opens an incident. Subscribers and webhooks are told, as when the API is used.

  --page SLUG              the page
  --title TEXT             in the default language of the page, as is the summary
  --summary TEXT
  --type TYPE              ${incidentTypes.join(' or ')}; incident when left out
  --monitor SLUG           what is affected; may be repeated
  --started-at TIME        such as 2026-01-31T23:00:00Z; now when left out
  --resolved-at TIME       only of an incident that is over
  --scheduled-end-at TIME  planned end of a maintenance
  --json                   print one JSON object
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      title: { type: 'string' },
      summary: { type: 'string' },
      type: { type: 'string', default: 'incident' },
      monitor: { type: 'string', multiple: true, default: [] as string[] },
      'started-at': { type: 'string' },
      'resolved-at': { type: 'string' },
      'scheduled-end-at': { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const input = parseNewIncident({
      type: values.type,
      title: required(values.title, '--title'),
      summary: required(values.summary, '--summary'),
      monitorSlugs: values.monitor,
      startedAt: values['started-at'] ?? new Date(context.clock.now()).toISOString(),
      resolvedAt: values['resolved-at'] ?? null,
      scheduledEndAt: values['scheduled-end-at'] ?? null,
    });
    const sql = await context.openSql();
    const pageId = await loadPageId(sql, slug);
    const incident = await createIncident({ sql, clock: context.clock }, { pageId, input });
    context.print(values.json ? incident : incidentText(incident));
  },
};
