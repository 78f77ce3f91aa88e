import { createWebhook } from '../control/webhooks/index.js';
import type { Command } from './command.js';
import { parseOptions, required } from './parse-options.js';

export const webhookCreate: Command = {
  name: 'webhook create',
  summary: 'tell a URL of the incidents of a page',
  help: `heartline webhook create --page SLUG --url URL [--json]

Makes a webhook and prints the secret that its deliveries are signed with. This is the only time that it is shown.

  --page SLUG  the page whose incidents it is told of
  --url URL    where deliveries are posted to, http:// or https://
  --json       print one JSON object, {"id", "secret"}
`,
  async run(context, argv) {
    const options = { page: { type: 'string' }, url: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values } = parseOptions(argv, options, []);
    const slug = required(values.page, '--page');
    const url = required(values.url, '--url');
    const { sql, secretKey } = await context.openSqlAndSecretKey();
    const created = await createWebhook({ sql, secretKey, clock: context.clock }, { slug, url });
    if (values.json) return context.print(created);
    context.print(
      `${created.secret}\n\nThis is the secret of the webhook ${created.id} of ${slug}. It is not shown again.\n`,
    );
  },
};
