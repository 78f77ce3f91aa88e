import { defineCommand } from '../core/define-command.js';
import { readInput } from '../core/read-bounded.js';
import { readDesired } from './desired.js';
import { exportPage, exportText } from './export-page.js';
import { planChanges } from './plan.js';
import { planJson, planText } from './plan-text.js';
import { readApplyFile } from './read-file.js';
import { runPlan } from './run-plan.js';

export const applyCommands = [
  defineCommand({
    name: 'apply',
    createsStores: true,
    runsRemotely: true,
    summary: 'change a page to match a file',
    help: `Changes a page and its groups, monitors, webhooks, alert rule, connections, templates, channels, schedules, policies,
objectives and rules to match FILE, in YAML or JSON; "-" is standard input. Nothing is deleted without --prune. The same
file again changes nothing; /docs/apply of the service describes it.

When a change fails, those before it stay, and the next run makes the remaining ones. Secrets are taken from variables of
the environment, written as {env: NAME}.`,
    arguments: { file: 'FILE' },
    options: {
      plan: { help: 'print what would change, and change nothing; the exit code is 2 when something would' },
      prune: { help: 'delete what the sections of the file do not have; a section that is absent stays' },
    },
    json: '{"page", "changes": [...], "kept": [...]}',
    async run(context, { file, plan: isPlan, prune: prunes }) {
      const text = await readInput(file);
      const desired = readDesired(
        readApplyFile(text, file === '-' ? 'standard input' : file),
        context.variable,
      );
      const plan = await planChanges(context.client, { desired, prunes });
      if (isPlan) {
        const output = { json: planJson(plan), text: planText(plan, { isDone: false }) };
        return { ...output, ...(plan.changes.length > 0 && { exitCode: 2 as const }) };
      }
      const { addresses, secrets } = await runPlan(plan);
      const shownOnce = [
        ...addresses.map(
          ({ monitor, url }) =>
            `The job of ${monitor} must call this address, which is not shown again: ${url}\n`,
        ),
        ...secrets.map(
          ({ webhook, secret }) =>
            `Deliveries to ${webhook} are signed with this secret, which is not shown again: ${secret}\n`,
        ),
      ];
      return {
        json: { ...planJson(plan), addresses, secrets },
        text: planText(plan, { isDone: true }) + shownOnce.join(''),
      };
    },
  }),

  defineCommand({
    name: 'export',
    runsRemotely: true,
    summary: 'print a page as a file that apply reads',
    help: `Prints a page and its groups, monitors, webhooks, alert rule, connections, templates, channels, schedules, policies,
objectives and rules as the file of heartline apply. Secrets are not in it: those of a page that exists stay as they are.`,
    arguments: { page: 'PAGE' },
    json: 'which apply reads as well',
    async run(context, { page }) {
      const exported = await exportPage(context.client, page);
      return { json: exported.file, text: exportText(exported, await context.serviceUrl()) };
    },
  }),
];
