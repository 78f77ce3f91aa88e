import { monitorKinds } from '../contract/monitors.js';
import { createMonitor } from '../control/monitors/create-monitor.js';
import type { Command } from './command.js';
import { readSettings, settingHelp, settingOptions } from './monitor-options.js';
import { oneOf, parseOptions, required } from './parse-options.js';

export const monitorCreate: Command = {
  name: 'monitor create',
  summary: 'watch a server or a job for a page',
  help: `heartline monitor create --page SLUG --slug SLUG --name NAME --type ${monitorKinds.join('|')} [options]

Makes a monitor; its first check is due within a minute. Of a heartbeat it prints the path that is to be called, and
this is the only time that it is shown.

  --page SLUG              the page
  --slug SLUG              by which the API names it; it cannot be changed
  --name NAME              in the default language of the page
  --type TYPE              http: asks a server; tcp: connects to a port; heartbeat: waits to be called
${settingHelp}`,
  async run(context, argv) {
    const options = {
      ...settingOptions,
      page: { type: 'string' },
      slug: { type: 'string' },
      type: { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const input = {
      ...readSettings(values),
      pageSlug: required(values.page, '--page'),
      slug: required(values.slug, '--slug'),
      name: required(values.name, '--name'),
      kind: oneOf(required(values.type, '--type'), monitorKinds, '--type'),
    };
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const { id, token } = await createMonitor({ sql, secretKey, clock: context.clock }, input);
    const path = token === undefined ? undefined : `/ping/${token}`;
    if (values.json) return context.print({ id, ...(token !== undefined && { token, path }) });
    const made = `This is the monitor ${input.slug} of ${input.pageSlug}, ${id}.`;
    context.print(path === undefined ? `${made}\n` : `${path}\n\n${made} Its path is not shown again.\n`);
  },
};
