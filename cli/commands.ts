import type { Command } from './core/define-command.js';
import { wrap } from './core/help.js';
import { unknownCommand } from './core/unknown-command.js';

/** Commands that are loaded together, and the words that their names begin with. */
type Group = { nouns: readonly string[]; load(): Promise<readonly Command[]> };

/** In the order in which --help lists them. A command line loads the commands of its noun alone. */
const groups: readonly Group[] = [
  { nouns: ['serve'], load: async () => [(await import('./serve.js')).serveCommand] },
  { nouns: ['demo'], load: async () => [(await import('./demo.js')).demoCommand] },
  { nouns: ['page'], load: async () => (await import('./page.js')).pageCommands },
  { nouns: ['key'], load: async () => (await import('./key.js')).keyCommands },
  { nouns: ['user'], load: async () => (await import('./user.js')).userCommands },
  { nouns: ['incident'], load: async () => (await import('./incident/incident.js')).incidentCommands },
  { nouns: ['postmortem'], load: async () => (await import('./incident/postmortem.js')).postmortemCommands },
  { nouns: ['monitor'], load: async () => (await import('./monitor.js')).monitorCommands },
  { nouns: ['checks', 'import'], load: async () => (await import('./checks.js')).checksCommands },
  { nouns: ['import'], load: async () => (await import('./import/commands.js')).importCommands },
  { nouns: ['reporter'], load: async () => (await import('./reporter.js')).reporterCommands },
  { nouns: ['deployment'], load: async () => (await import('./deployment.js')).deploymentCommands },
  { nouns: ['connection'], load: async () => (await import('./connection.js')).connectionCommands },
  { nouns: ['store'], load: async () => (await import('./store.js')).storeCommands },
  { nouns: ['figure-export'], load: async () => (await import('./figure-export.js')).figureExportCommands },
  { nouns: ['log'], load: async () => [(await import('./log/show-log.js')).showLogCommand] },
  { nouns: ['log'], load: async () => [(await import('./log/deliver-log.js')).deliverLogCommand] },
  { nouns: ['subscriber'], load: async () => (await import('./subscriber.js')).subscriberCommands },
  { nouns: ['webhook'], load: async () => (await import('./webhook.js')).webhookCommands },
  { nouns: ['channel'], load: async () => (await import('./channel.js')).channelCommands },
  { nouns: ['alert'], load: async () => (await import('./alert.js')).alertCommands },
  { nouns: ['rule'], load: async () => (await import('./rule.js')).ruleCommands },
  { nouns: ['alerts'], load: async () => (await import('./alerts.js')).alertsCommands },
  { nouns: ['silence'], load: async () => (await import('./silence.js')).silenceCommands },
  { nouns: ['objective'], load: async () => (await import('./objective.js')).objectiveCommands },
  { nouns: ['schedule'], load: async () => (await import('./schedule.js')).scheduleCommands },
  { nouns: ['policy'], load: async () => (await import('./policy.js')).policyCommands },
  { nouns: ['board'], load: async () => (await import('./board.js')).boardCommands },
  { nouns: ['report'], load: async () => (await import('./report.js')).reportCommands },
  { nouns: ['export'], load: async () => [(await import('./export/figures.js')).exportFiguresCommand] },
  { nouns: ['apply', 'export'], load: async () => (await import('./apply/commands.js')).applyCommands },
  { nouns: ['audit'], load: async () => (await import('./audit.js')).auditCommands },
  { nouns: ['jobs'], load: async () => (await import('./jobs.js')).jobsCommands },
  { nouns: ['backup', 'restore'], load: async () => (await import('./backup.js')).backupCommands },
  { nouns: ['secrets'], load: async () => (await import('./secrets.js')).secretsCommands },
  { nouns: ['sql'], load: async () => [(await import('./sql.js')).sqlCommand] },
];

/** Loads the commands of a noun, or every command. */
export async function loadCommands(noun?: string): Promise<readonly Command[]> {
  const wanted = groups.filter(({ nouns }) => noun === undefined || nouns.includes(noun));
  return (await Promise.all(wanted.map(({ load }) => load()))).flat();
}

/**
 * Finds the command that a command line begins with. `rest` holds the arguments behind its name.
 *
 * @throws UsageError when there is no such command.
 */
export async function findCommand(argv: string[]): Promise<{ command: Command; rest: string[] }> {
  for (const command of await loadCommands(argv[0] ?? '')) {
    const words = command.name.split(' ');
    if (words.every((word, index) => argv[index] === word))
      return { command, rest: argv.slice(words.length) };
  }
  const names = (await loadCommands()).map(({ name }) => name);
  throw unknownCommand(argv, names);
}

/** Returns the text of `heartline --help`; for a noun, only its commands. */
export async function helpOfAll(noun?: string): Promise<string> {
  const commands = await loadCommands();
  const listed = commands.filter((command) => noun === undefined || command.name.startsWith(`${noun} `));
  const width = Math.max(...listed.map((command) => command.name.length));
  const lines = listed.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}\n`);
  return `heartline COMMAND [options]\n\n${lines.join('')}
heartline COMMAND --help explains one command; heartline --version prints the version.

Commands work on the stores that DATABASE_URL and CLICKHOUSE_URL name. For a store that is not set, they use the one of
the service that is running on the data folder (HEARTLINE_DATA_DIR, ./data), or start it themselves.

On an installation elsewhere, over HTTP: heartline --url https://… --key KEY COMMAND, or with HEARTLINE_URL and HEARTLINE_KEY,
which other users of this machine do not see in the list of processes. KEY has the scope manage or admin. So run:
${remoteNames(commands)}
`;
}

/** The commands that run over HTTP, by noun, such as `key create|list`. */
function remoteNames(commands: readonly Command[]): string {
  const verbs = new Map<string, string[]>();
  for (const { name, runsRemotely } of commands) {
    const [noun = '', ...verb] = name.split(' ');
    if (runsRemotely) verbs.set(noun, [...(verbs.get(noun) ?? []), verb.join(' ')]);
  }
  const parts = [...verbs].flatMap(([noun, of]) => {
    const named = of.filter((verb) => verb !== '');
    return [
      ...(named.length < of.length ? [noun] : []),
      ...(named.length > 0 ? [`${noun} ${named.join('|')}`] : []),
    ];
  });
  return wrap(parts.join(', '), 116)
    .map((line) => `  ${line}`)
    .join('\n');
}
