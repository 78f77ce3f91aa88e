import { readFile } from 'node:fs/promises';
import { readDesired } from '../apply/desired.js';
import { installationOf } from '../apply/installation.js';
import { planChanges } from '../apply/plan.js';
import { planJson, planText } from '../apply/plan-text.js';
import { runPlan } from '../apply/run-plan.js';
import type { CommandContext } from '../core/context.js';
import { defineCommand, type Output } from '../core/define-command.js';
import { UsageError } from '../core/errors.js';
import { pageOption } from '../page.js';
import { monitorsOf } from '../ports/monitors.js';
import { importGatus } from './gatus.js';
import type { Imported } from './imported.js';
import { importKener, kenerTables } from './kener.js';
import { importKumaBackup, importKumaRows } from './kuma.js';
import { isSqlite, readSqlite } from './read-sqlite.js';
import { importStatuspage } from './statuspage.js';
import { writeIncidents } from './write-incidents.js';

const options = {
  page: pageOption,
  plan: { help: 'print what would be created, and create nothing' },
} as const;
const json = '{"page", "incidents": COUNT, "changes": [...], "kept": [...], "notes": [...], "left": [...]}';
const after = `Monitors whose slug the page has already stay as they are, so the command can run again. What could not be taken is
listed with the reason, and the exit code is 1 then.`;

export const importCommands = [
  defineCommand({
    ...{ name: 'import kuma', runsRemotely: true, options, json },
    summary: 'import the monitors of Uptime Kuma',
    help: `FILE is its JSON backup, or its database kuma.db while it is stopped. Monitors for http, keywords, ports and push become
monitors, and its groups become groups. ${after}`,
    arguments: { file: 'FILE' },
    async run(context, { file, ...input }) {
      const bytes = await readFile(file);
      const imported = isSqlite(bytes)
        ? importKumaRows((await readSqlite(file, { monitors: 'select * from monitor order by id' })).monitors)
        : importKumaBackup(bytes.toString('utf8'));
      return takeOver(context, imported, input);
    },
  }),

  defineCommand({
    ...{ name: 'import gatus', runsRemotely: true, options, json },
    summary: 'import the endpoints of Gatus',
    help: `FILE is its configuration in YAML. Endpoints for http, tcp and tls become monitors, external endpoints become heartbeats, and
their groups become groups. ${after}`,
    arguments: { file: 'FILE' },
    run: async (context, { file, ...input }) =>
      takeOver(context, importGatus(await readFile(file, 'utf8')), input),
  }),

  defineCommand({
    ...{ name: 'import kener', runsRemotely: true, options, json },
    summary: 'import the monitors of Kener',
    help: `FILE is its database kener.sqlite.db while it is stopped. Monitors of the kinds API, TCP, HEARTBEAT and NONE become
monitors, its categories become groups, and its incidents that are over become incidents. ${after}`,
    arguments: { file: 'FILE' },
    async run(context, { file, ...input }) {
      if (!isSqlite(await readFile(file))) throw new UsageError(`${file} is no database of SQLite.`);
      return takeOver(context, importKener(await readSqlite(file, kenerTables)), input);
    },
  }),

  defineCommand({
    ...{ name: 'import statuspage', runsRemotely: true, options, json },
    summary: 'import the components and past incidents of a page of Statuspage',
    help: `ADDRESS is that of the page, such as https://status.example.com. Its components become services without checks, in the same
groups, and its newest 50 incidents and maintenances that are over become incidents. ${after}`,
    arguments: { address: 'ADDRESS' },
    run: async (context, { address, ...input }) => takeOver(context, await importStatuspage(address), input),
  }),
];

/** Creates what the page does not have yet, as `heartline apply` does, and says what was not taken. */
async function takeOver(
  context: CommandContext,
  { groups, monitors, incidents, left: untaken, notes }: Imported,
  { page, plan: isPlan }: { page: string; plan?: boolean | undefined },
): Promise<Output> {
  const there = new Set((await monitorsOf(context).list(page)).map(({ slug }) => slug));
  const wanted = Object.fromEntries(Object.entries(monitors).filter(([slug]) => !there.has(slug)));
  const used = new Set(Object.values(wanted).map(({ group }) => group));
  const file = {
    value: {
      page: { slug: page },
      groups: Object.fromEntries(Object.entries(groups).filter(([slug]) => used.has(slug))),
      monitors: wanted,
    },
    placeOf: (path: readonly (string | number)[]) => path.join(' '),
  };
  const desired = readDesired(file, context.variable);
  const plan = await planChanges(installationOf(context), { desired, prunes: false });
  const ran = isPlan ? undefined : await runPlan(plan);
  // Nobody can publish something of the past over HTTP.
  const isHere = context.remote === undefined;
  const recorded = isHere ? await writeIncidents(context, page, incidents, isPlan === true) : 0;
  const left = isHere || incidents.length === 0 ? untaken : [...untaken, incidentsLeft(incidents.length)];
  const told = notes.filter(({ slug }) => slug in wanted);
  const addresses = ran?.addresses ?? [];
  const text = [
    planText({ ...plan, kept: [] }, { isDone: !isPlan }),
    ...(recorded > 0 ? [`${recorded} past incidents ${isPlan ? 'would be' : 'are'} recorded.\n`] : []),
    ...told.map(({ slug, note }) => `${slug}: ${note}\n`),
    ...addresses.map(
      ({ monitor, url }) =>
        `The job of ${monitor} must call this address, which is not shown again: ${url}\n`,
    ),
  ];
  return {
    json: { ...planJson({ ...plan, kept: [] }), incidents: recorded, notes: told, left, addresses },
    text: text.join(''),
    ...(left.length > 0 && { failure: left.map(({ name, why }) => `Not taken: ${name}: ${why}`).join('\n') }),
  };
}

function incidentsLeft(count: number): Imported['left'][number] {
  return {
    name: `${count} past incidents`,
    why: 'they are recorded on the server alone; run the command there, without --url and HEARTLINE_URL',
  };
}
