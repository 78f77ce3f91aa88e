import { findMonitor } from '../control/monitors/find-monitor.js';
import { findCheck } from '../control/monitors/probe/check.js';
import { createCheckDeps } from '../control/monitors/probe/check-deps.js';
import type { Outcome } from '../control/monitors/probe/outcome.js';
import { runCheck } from '../control/monitors/probe/run-check.js';
import type { Command } from './command.js';
import { readRef, refArguments, refOptions } from './monitor-options.js';
import { formatFields } from './output.js';
import { parseOptions } from './parse-options.js';

export const monitorCheck: Command = {
  name: 'monitor check',
  summary: 'make one check of a monitor now',
  help: `heartline monitor check ID|--page SLUG --slug SLUG [--json]

Makes one check from here, prints what came of it and how long each part took, and stores nothing.

  --page SLUG  the page
  --slug SLUG  the monitor
  --json       print one JSON object
`,
  async run(context, argv) {
    const options = { ...refOptions, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseOptions(argv, options, refArguments(argv));
    const ref = readRef(values, positionals);
    const { clock, config } = context;
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const monitor = await findMonitor({ sql }, ref);
    const check = await findCheck({ sql, clock }, monitor.id);
    if (check === undefined) throw new Error('The monitor was deleted just now.');
    const deps = createCheckDeps({ clock, allowPrivateAddresses: config.allowPrivateAddresses });
    const outcome = await runCheck({ ...deps, secretKey }, check, new AbortController().signal);
    context.print(values.json ? outcome : outcomeText(outcome));
  },
};

function outcomeText(outcome: Outcome): string {
  const ms = (value: number | null): string => (value === null ? '-' : `${value.toFixed(1)} ms`);
  return formatFields([
    ['outcome', outcome.ok ? 'ok' : `failed, ${outcome.error}`],
    ...(outcome.detail === null ? [] : [['reason', outcome.detail] as const]),
    ['status', String(outcome.status ?? '-')],
    ['DNS', ms(outcome.dnsMs)],
    ['connect', ms(outcome.connectMs)],
    ['TLS', ms(outcome.tlsMs)],
    ['first byte', ms(outcome.firstByteMs)],
    ['total', ms(outcome.totalMs)],
  ]);
}
