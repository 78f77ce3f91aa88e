import { createPage } from '../control/pages/create-page.js';
import type { Command } from './command.js';
import { pageJson, pageText } from './page-view.js';
import { parseOptions, required, wholeNumber } from './parse-options.js';

export const pageCreate: Command = {
  name: 'page create',
  summary: 'make a status page',
  help: `heartline page create --slug SLUG --hostname NAME [options]

Makes a status page and the account that owns it.

  --slug SLUG             1 to 63 of a-z, 0-9 and "-"
  --hostname NAME         the host name of the page, such as status.example.com
  --name NAME             what people read; the slug when left out
  --languages TAGS        languages of the page, such as en,fr; en when left out
  --default-language TAG  one of them; the first when left out
  --history-days N        days of uptime that the page shows, 7 to 90; 90 when left out
  --json                  print one JSON object
`,
  async run(context, argv) {
    const options = {
      slug: { type: 'string' },
      hostname: { type: 'string' },
      name: { type: 'string' },
      languages: { type: 'string' },
      'default-language': { type: 'string' },
      'history-days': { type: 'string' },
      json: { type: 'boolean' },
    } as const;
    const { values } = parseOptions(argv, options, []);
    const defaultLanguage = values['default-language'];
    const historyDays = values['history-days'];
    const input = {
      slug: required(values.slug, '--slug'),
      hostname: required(values.hostname, '--hostname'),
      ...(values.name !== undefined && { name: values.name }),
      ...(values.languages !== undefined && {
        languages: values.languages.split(',').map((tag) => tag.trim()),
      }),
      ...(defaultLanguage !== undefined && { defaultLanguage }),
      ...(historyDays !== undefined && { historyDays: wholeNumber(historyDays, '--history-days') }),
    };
    const sql = await context.openSql();
    const page = await createPage({ sql, clock: context.clock }, input);
    context.print(values.json ? pageJson(page) : pageText(page));
  },
};
