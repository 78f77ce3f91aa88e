import { setAlertRule } from '../control/alerts/index.js';
import { loadPageId } from '../control/pages/index.js';
import { alertJson, alertText } from './alert-view.js';
import type { Command } from './command.js';
import { parseOptions, required, wholeNumber } from './parse-options.js';
import { UsageError } from './usage-error.js';

export const alertSet: Command = {
  name: 'alert set',
  summary: 'open an incident when too many requests of a page fail',
  help: `heartline alert set --page SLUG --threshold PERCENT --window SECONDS --minimum-requests N [--json]

Puts the alert rule of a page on, or changes it. Once a minute the requests of the window are counted; when at least
PERCENT of at least N of them have failed with a 5xx, one incident is opened for the outage. It is resolved when
the share over the window is lower again.

  --page SLUG           the page
  --threshold PERCENT   such as 5 or 0.5
  --window SECONDS      60 to 86400, whole minutes
  --minimum-requests N  with fewer requests in the window nothing is opened
  --json                print one JSON object
`,
  async run(context, argv) {
    const options = {
      page: { type: 'string' },
      threshold: { type: 'string' },
      window: { type: 'string' },
      'minimum-requests': { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const rule = {
      thresholdPercent: readPercent(required(values.threshold, '--threshold')),
      windowSeconds: wholeNumber(required(values.window, '--window'), '--window'),
      requestsMin: wholeNumber(
        required(values['minimum-requests'], '--minimum-requests'),
        '--minimum-requests',
      ),
    };
    const sql = await context.openSql();
    const pageId = await loadPageId(sql, slug);
    const set = await setAlertRule({ sql, clock: context.clock }, { pageId, ...rule });
    context.print(values.json ? alertJson(slug, set) : alertText(slug, set));
  },
};

function readPercent(value: string): number {
  if (!/^\d{1,3}(\.\d{1,6})?$/.test(value)) {
    throw new UsageError(`--threshold must be a number such as 5 or 0.5, not "${value}".`);
  }
  return Number(value);
}
