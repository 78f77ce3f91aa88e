import { withPrintedCommands } from '../../lib/printed-commands.js';
import { planJson, planText } from '../apply/plan-text.js';
import { FileError } from '../apply/read-file.js';
import type { CommandContext } from '../core/context.js';
import { defineCommand, type Output } from '../core/define-command.js';
import { readFileUpTo } from '../core/read-bounded.js';
import { pageOption } from '../page.js';
import { importGatus } from './gatus.js';
import type { Imported, Left } from './imported.js';
import { importKener, kenerTables } from './kener.js';
import { importKumaBackup, importKumaDatabase, kumaTables } from './kuma.js';
import { planImport, runImport } from './plan-import.js';
import { isSqlite, readSqlite } from './read-sqlite.js';
import { importStatuspage } from './statuspage.js';
import { writeIncidents } from './write-incidents.js';

/** The largest backups have some thousand monitors of a few kilobytes. */
const textBytesMax = 32 * 1024 ** 2;
const readText = async (path: string) => (await readFileUpTo(path, textBytesMax)).toString('utf8');

const options = {
  page: pageOption,
  plan: { help: 'print what would be created, and create nothing' },
} as const;
const json = '{"page", "incidents": COUNT, "changes": [...], "kept": [...], "notes": [...], "left": [...]}';
const after = `Monitors that the page has already, by address and group, stay as they are, so the command can run again. What is not the
same here is said, what could not be taken, or not as it is, is listed with the reason, and the exit code is 1 then. /docs/import of the service lists
every setting.`;

export const importCommands = [
  defineCommand({
    ...{ name: 'import kuma', runsRemotely: true, options, json },
    summary: 'import the monitors of Uptime Kuma',
    help: `FILE is its JSON backup, or its database kuma.db while it is stopped. Monitors for http, keywords, ports and push become
monitors, manual ones services without checks, and its groups become groups. What was paused is paused. ${after}`,
    arguments: { file: 'FILE' },
    async run(context, { file, ...input }) {
      const imported = (await isSqlite(file))
        ? importKumaDatabase(await readSqlite(file, kumaTables, ['monitor']))
        : importKumaBackup(await readText(file));
      return takeOver(context, imported, input);
    },
  }),

  defineCommand({
    ...{ name: 'import gatus', runsRemotely: true, options, json },
    summary: 'import the endpoints of Gatus',
    help: `FILE is its configuration in YAML; variables of the environment are filled in as Gatus does. Endpoints for http, tcp and tls become monitors, external endpoints become heartbeats, and
their groups become groups. ${after}`,
    arguments: { file: 'FILE' },
    run: async (context, { file, ...input }) =>
      takeOver(context, importGatus(await readText(file), context.variable), input),
  }),

  defineCommand({
    ...{ name: 'import kener', runsRemotely: true, options, json },
    summary: 'import the monitors of Kener',
    help: `FILE is its database kener.sqlite.db while it is stopped. Monitors of the kinds API, TCP, HEARTBEAT and NONE become
monitors, its categories become groups, and its incidents that are over become incidents. ${after}`,
    arguments: { file: 'FILE' },
    async run(context, { file, ...input }) {
      if (!(await isSqlite(file))) throw new FileError(`${file} is no database of SQLite.`);
      return takeOver(
        context,
        importKener(await readSqlite(file, kenerTables, ['monitors']), context.clock.now()),
        input,
      );
    },
  }),

  defineCommand({
    ...{ name: 'import statuspage', runsRemotely: true, options, json },
    summary: 'import the components and past incidents of a page of Statuspage',
    help: `ADDRESS is that of the page, such as https://status.example.com. Its components become services without checks, in the same
groups, and its newest 50 incidents and maintenances that are over become incidents. ${after}`,
    arguments: { address: 'ADDRESS' },
    run: async (context, { address, ...input }) =>
      takeOver(context, await importStatuspage(address, context.config), input),
  }),
];

/** Creates the monitors and groups that the page lacks, as `heartline apply` does, and names the ones that were left. */
async function takeOver(
  context: CommandContext,
  imported: Imported,
  { page, plan: isPlan = false }: { page: string; plan?: boolean | undefined },
): Promise<Output> {
  const planned = await planImport(context.client, page, imported);
  const ran = isPlan ? undefined : await runImport(context.client, planned);
  // Nobody can publish something of the past over HTTP.
  const isHere = !context.isRemote;
  const { incidents } = imported;
  const recorded = isHere
    ? await writeIncidents(context, page, { incidents, ...planned }, isPlan)
    : undefined;
  const left = [
    ...planned.left,
    ...(ran?.left ?? []),
    ...(recorded?.left ?? []),
    ...(isHere || incidents.length === 0 ? [] : [incidentsLeft(incidents.length)]),
  ];
  const failures = [
    ...left.map(({ name, why }) => `Not taken: ${name}: ${why}`),
    ...planned.mended.map(({ name, why }) => `Not taken as it is: ${name}: ${why}`),
  ];
  const count = recorded?.count ?? 0;
  const addresses = ran?.addresses ?? [];
  const shown = { ...planned.plan, changes: ran?.made ?? planned.plan.changes };
  const text = [
    planText(shown, { isDone: !isPlan }),
    ...(count > 0 ? [`${count} past incidents ${isPlan ? 'would be' : 'are'} recorded.\n`] : []),
    ...planned.notes.map(({ slug, note }) => `${slug ?? 'The source'}: ${withPrintedCommands(note)}\n`),
    ...addresses.map(
      ({ monitor, url }) =>
        `The job of ${monitor} must call this address, which is not shown again: ${url}\n`,
    ),
  ];
  return {
    json: { ...planJson(shown), incidents: count, notes: planned.notes, left, addresses },
    text: text.join(''),
    ...(failures.length > 0 && { failure: failures.join('\n') }),
  };
}

function incidentsLeft(count: number): Left {
  return {
    name: `${count} past incidents`,
    why: 'they are recorded on the server alone; run the command there, without --url and HEARTLINE_URL',
  };
}
