import { hasReportedSince } from '../analytics/reporters.js';
import { recordForgotten } from '../control/audit/index.js';
import { loadPageId } from '../control/pages/index.js';
import { forgetSource, type SourceRef } from '../ingest/names/forget-source.js';
import { type Client, Nothing } from './client/client.js';
import type { CommandContext } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { mayPagesBePrivate } from './may-be-private.js';
import { openPageReaders } from './open-page-readers.js';
import { pageOption } from './page.js';

export const reporterCommands = [
  defineCommand({
    runsRemotely: true,
    name: 'reporter forget',
    summary: 'remove a service or reporter from the lists of a page',
    help: `Removes a service or reporter that will not come back from the lists, and ends the alarm of its silence. Its figures
stay, and it comes back when it reports again.`,
    arguments: { id: 'ID' },
    options: {
      page: pageOption,
      kind: {
        value: 'KIND',
        help: 'reporter (the usual) for an id of v2, service for a name of v1 or one that reporters name',
        choices: ['reporter', 'service'],
      },
    },
    json: '',
    async run(context, { page, id, kind = 'reporter' }) {
      const ref = { kind, id };
      await (context.isRemote ? forgetThere(context.client, page, ref) : forgetHere(context, page, ref));
      return { json: ref, text: `${id} is forgotten until it reports again.\n` };
    },
  }),
];

async function forgetHere(context: CommandContext, page: string, ref: SourceRef): Promise<void> {
  const stores = await context.openStores();
  const pageId = await loadPageId(stores.sql, page);
  const allowPrivateAddresses = await mayPagesBePrivate(context.config, stores.sql);
  const readers = await openPageReaders({ ...stores, allowPrivateAddresses });
  try {
    const asked = {
      hasReportedSince: (one: SourceRef, at: Date) =>
        hasReportedSince({ ...stores, clickhouse: readers.clickhouseOf(pageId) }, pageId, one, at),
      record: recordForgotten(pageId, stores.by),
    };
    await forgetSource({ ...stores, ...asked }, pageId, ref);
  } finally {
    await readers.close();
  }
}

async function forgetThere(client: Client, page: string, ref: SourceRef): Promise<void> {
  const path = `${await client.pathOf(page)}/reporters/forget`;
  await client.send('POST', path, { answer: Nothing, body: ref });
}
