import { alertOff } from './alert-off.js';
import { alertSet } from './alert-set.js';
import { alertShow } from './alert-show.js';
import { backup } from './backup.js';
import { checksImport } from './checks-import.js';
import type { Command } from './command.js';
import { connectionCreate } from './connection-create.js';
import { connectionDelete } from './connection-delete.js';
import { connectionList } from './connection-list.js';
import { demo } from './demo.js';
import { importUpptimeCommand } from './import-upptime.js';
import { incidentCreate } from './incident-create.js';
import { incidentList } from './incident-list.js';
import { incidentResolve } from './incident-resolve.js';
import { incidentUpdate } from './incident-update.js';
import { jobsList, jobsRun } from './jobs.js';
import { keyCreate } from './key-create.js';
import { keyList } from './key-list.js';
import { keyRevoke } from './key-revoke.js';
import { monitorCheck } from './monitor-check.js';
import { monitorCreate } from './monitor-create.js';
import { monitorDelete } from './monitor-delete.js';
import { monitorList } from './monitor-list.js';
import { monitorPause } from './monitor-pause.js';
import { monitorResume } from './monitor-resume.js';
import { monitorSet } from './monitor-set.js';
import { monitorShow } from './monitor-show.js';
import { pageCreate } from './page-create.js';
import { pageList } from './page-list.js';
import { pageSet } from './page-set.js';
import { pageShow } from './page-show.js';
import { restore } from './restore.js';
import { serveCommand } from './serve.js';
import { sql } from './sql-command.js';
import { storeReplay } from './store-replay.js';
import { storeReset } from './store-reset.js';
import { storeSet } from './store-set.js';
import { storeShow } from './store-show.js';
import { storeTest } from './store-test.js';
import { subscriberAdd } from './subscriber-add.js';
import { subscriberEmails } from './subscriber-emails.js';
import { subscriberList } from './subscriber-list.js';
import { subscriberRemove } from './subscriber-remove.js';
import { subscriberResend } from './subscriber-resend.js';
import { subscriberUnsuppress } from './subscriber-unsuppress.js';
import { UsageError } from './usage-error.js';
import { webhookCreate } from './webhook-create.js';
import { webhookDeliveries } from './webhook-deliveries.js';
import { webhookDisable } from './webhook-disable.js';
import { webhookEnable } from './webhook-enable.js';
import { webhookList } from './webhook-list.js';
import { webhookReplay } from './webhook-replay.js';
import { webhookRotate } from './webhook-rotate.js';
import { webhookTest } from './webhook-test.js';

/** Every command, in the order in which --help lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  demo,
  pageCreate,
  pageSet,
  pageList,
  pageShow,
  keyCreate,
  keyRevoke,
  keyList,
  incidentCreate,
  incidentList,
  incidentUpdate,
  incidentResolve,
  monitorCreate,
  monitorList,
  monitorShow,
  monitorSet,
  monitorPause,
  monitorResume,
  monitorCheck,
  monitorDelete,
  checksImport,
  importUpptimeCommand,
  connectionCreate,
  connectionList,
  connectionDelete,
  storeSet,
  storeShow,
  storeTest,
  storeReset,
  storeReplay,
  subscriberAdd,
  subscriberList,
  subscriberRemove,
  subscriberUnsuppress,
  subscriberEmails,
  subscriberResend,
  webhookCreate,
  webhookList,
  webhookDisable,
  webhookEnable,
  webhookRotate,
  webhookTest,
  webhookDeliveries,
  webhookReplay,
  alertSet,
  alertShow,
  alertOff,
  jobsRun,
  jobsList,
  backup,
  restore,
  sql,
];

/**
 * The command that a command line begins with, and the arguments behind its name.
 *
 * @throws UsageError when there is no such command.
 */
export function findCommand(argv: string[]): { command: Command; rest: string[] } {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word))
      return { command, rest: argv.slice(words.length) };
  }
  const [first, second] = argv;
  const verbs = commands
    .filter((command) => command.name.startsWith(`${first} `))
    .map((command) => command.name);
  if (verbs.length > 0) {
    const given = second === undefined ? `"${first}" needs a verb` : `"${first} ${second}" is not a command`;
    throw new UsageError(`${given}; there is ${verbs.join(', ')}.`);
  }
  throw new UsageError(first === undefined ? 'A command is missing.' : `"${first}" is not a command.`);
}

/** What `heartline --help` prints; with a noun, only its commands. */
export function helpOfAll(noun?: string): string {
  const listed = commands.filter((command) => noun === undefined || command.name.startsWith(`${noun} `));
  const width = Math.max(...listed.map((command) => command.name.length));
  const lines = listed.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}\n`);
  return `heartline COMMAND [options]\n\n${lines.join('')}
heartline COMMAND --help explains one command; heartline --version prints the version.

Commands work on the stores that DATABASE_URL and CLICKHOUSE_URL name. Where one is not set, they work on the
store of the service that is running on the data folder (HEARTLINE_DATA_DIR, ./data), or start it themselves.
`;
}
