import { AuditEntry } from '../contract/manage/audit.js';
import { labelPeople } from '../lib/person-labels.js';
import type { Client } from './client/client.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';
import { wholeNumber } from './core/parse-arguments.js';

type Filter = { page?: string; actor?: string; action?: string; target?: string };

export const auditCommands = [
  defineCommand({
    name: 'audit list',
    runsRemotely: true,
    summary: 'list who changed what',
    help: `Lists the changes of a page, or without --page those of all pages and of the installation, newest first. --json shows
the changed fields. Over HTTP this needs a key of the installation.`,
    options: {
      page: { value: 'SLUG', help: 'the page' },
      actor: { value: 'NAME', help: 'only what this person, key or job changed; an id, an email or a name' },
      action: { value: 'ACTION', help: 'only this, such as monitor.update' },
      target: {
        value: 'NAME',
        help: 'only changes of this; an id, an email or a name, such as the slug of a monitor',
      },
      limit: { value: 'N', help: 'at most this many; 50 by default', default: '50', parse: wholeNumber },
    },
    json: '{"entries": [...]}',
    async run({ client }, { limit, ...filter }) {
      const entries = await listEntries(client, filter, limit);
      const labelOf = labelPeople(entries.flatMap(({ actor, target }) => [actor, target]));
      const rows = entries.map(({ at, actor, page, action, target, address }) => [
        ...[at, `${actor.type} ${labelOf(actor)}`, page ?? '', action, labelOf(target), address ?? ''],
      ]);
      const headings = ['AT', 'WHO', 'PAGE', 'ACTION', 'TARGET', 'ADDRESS'];
      return { json: { entries }, text: formatTable(headings, rows, 'There is no such change.') };
    },
  }),
];

async function listEntries(
  client: Client,
  { page, ...filter }: Filter,
  limit: number,
): Promise<AuditEntry[]> {
  const path = page === undefined ? '/api/v1' : await client.pathOf(page);
  const listed = await client.list(`${path}/audit?${new URLSearchParams(filter)}`, AuditEntry, limit);
  return listed.map(inOrder);
}

/** The fields in the order of the contract, and no others. */
function inOrder({ id, at, actor, page, action, target, before, after, address }: AuditEntry): AuditEntry {
  return { id, at, actor, page, action, target, before, after, address };
}
