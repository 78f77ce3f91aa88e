import { alertCommands } from './alert.js';
import { applyCommands } from './apply/commands.js';
import { auditCommands } from './audit.js';
import { backupCommands } from './backup.js';
import { channelCommands } from './channel.js';
import { checksCommands } from './checks.js';
import { connectionCommands } from './connection.js';
import type { Command } from './core/define-command.js';
import { wrap } from './core/help.js';
import { unknownCommand } from './core/unknown-command.js';
import { demoCommand } from './demo.js';
import { importCommands } from './import/commands.js';
import { incidentCommands } from './incident/incident.js';
import { postmortemCommands } from './incident/postmortem.js';
import { jobsCommands } from './jobs.js';
import { keyCommands } from './key.js';
import { deliverLogCommand } from './log/deliver-log.js';
import { showLogCommand } from './log/show-log.js';
import { monitorCommands } from './monitor.js';
import { pageCommands } from './page.js';
import { reporterCommands } from './reporter.js';
import { secretsCommands } from './secrets.js';
import { serveCommand } from './serve.js';
import { sqlCommand } from './sql.js';
import { storeCommands } from './store.js';
import { subscriberCommands } from './subscriber.js';
import { userCommands } from './user.js';
import { webhookCommands } from './webhook.js';

/** Every command, in the order in which --help lists them. */
export const commands: readonly Command[] = [
  serveCommand,
  demoCommand,
  ...pageCommands,
  ...keyCommands,
  ...userCommands,
  ...incidentCommands,
  ...postmortemCommands,
  ...monitorCommands,
  ...checksCommands,
  ...importCommands,
  ...reporterCommands,
  ...connectionCommands,
  ...storeCommands,
  showLogCommand,
  deliverLogCommand,
  ...subscriberCommands,
  ...webhookCommands,
  ...channelCommands,
  ...alertCommands,
  ...applyCommands,
  ...auditCommands,
  ...jobsCommands,
  ...backupCommands,
  ...secretsCommands,
  sqlCommand,
];

/**
 * Finds the command that a command line begins with. `rest` holds the arguments behind its name.
 *
 * @throws UsageError when there is no such command.
 */
export function findCommand(argv: string[]): { command: Command; rest: string[] } {
  for (const command of commands) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word))
      return { command, rest: argv.slice(words.length) };
  }
  const names = commands.map(({ name }) => name);
  throw unknownCommand(argv, names);
}

/** Returns the text of `heartline --help`; for a noun, only its commands. */
export function helpOfAll(noun?: string): string {
  const listed = commands.filter((command) => noun === undefined || command.name.startsWith(`${noun} `));
  const width = Math.max(...listed.map((command) => command.name.length));
  const lines = listed.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}\n`);
  return `heartline COMMAND [options]\n\n${lines.join('')}
heartline COMMAND --help explains one command; heartline --version prints the version.

Commands work on the stores that DATABASE_URL and CLICKHOUSE_URL name. For a store that is not set, they use the one of
the service that is running on the data folder (HEARTLINE_DATA_DIR, ./data), or start it themselves.

On an installation elsewhere, over HTTP: heartline --url https://… --key KEY COMMAND, or with HEARTLINE_URL and HEARTLINE_KEY,
which other users of this machine do not see in the list of processes. KEY has the scope manage or admin. So run:
${remoteNames()}
`;
}

/** The commands that run over HTTP, by noun, such as `key create|list`. */
function remoteNames(): string {
  const verbs = new Map<string, string[]>();
  for (const { name, runsRemotely } of commands) {
    const [noun = '', ...verb] = name.split(' ');
    if (runsRemotely) verbs.set(noun, [...(verbs.get(noun) ?? []), ...verb]);
  }
  const parts = [...verbs].map(([noun, of]) => (of.length === 0 ? noun : `${noun} ${of.join('|')}`));
  return wrap(parts.join(', '), 116)
    .map((line) => `  ${line}`)
    .join('\n');
}
