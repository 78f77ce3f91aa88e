import { aliasChars } from '../contract/alias.js';
import type { ManagedKey } from '../contract/manage/keys.js';
import { keyAccesses } from '../contract/permissions.js';
import { scopes } from '../contract/scopes.js';
import { parseTimestamp } from '../lib/timestamp.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable } from './core/output.js';
import { missingOptions } from './core/refusals.js';
import { parseTimeOption } from './core/time-option.js';
import { pageOption } from './page.js';
import { keysOf } from './ports/keys.js';
import { pageOfIdOption } from './ports/ref.js';

/** What `key create` and `key set` share. */
const settings = {
  name: {
    value: 'NAME',
    help: `who uses the key, such as "checkout on eu-1"; at most ${aliasChars} characters`,
  },
} as const;

const scopeHelp = `incident: write incidents; ingest: send events and measurements; read: read the private analytics; manage: \
run the page; admin: run the installation, made on its server alone`;

export const keyCommands = [
  defineCommand({
    name: 'key create',
    runsRemotely: true,
    summary: 'create an API key of a page or of the installation',
    help: 'Creates a key and prints it. The key is shown only this once; only its hash is stored.',
    options: {
      page: { value: 'SLUG', help: 'the page that the key belongs to; a key with the scope admin has none' },
      scope: { value: 'SCOPE', help: scopeHelp, required: true, choices: scopes },
      access: {
        value: 'ACCESS',
        help: 'for the scope manage: read only, or write as well; the default is write',
        choices: keyAccesses,
      },
      expires: {
        value: 'TIME',
        help: 'when the key expires, such as 2027-01-31T00:00:00Z; without it the key does not expire',
        parse: parseTimeOption,
      },
      ...settings,
    },
    json: '{"id", "scope", "name", "key", …}',
    async run(context, { page, scope, access, expires, name }) {
      if (page === undefined && scope !== 'admin') throw missingOptions([['page', pageOption]]);
      if (page !== undefined && scope === 'admin') {
        throw new UsageError('A key with the scope admin is of the installation; leave out --page.');
      }
      const expiresAt = expires === undefined ? undefined : new Date(parseTimestamp(expires));
      const created = await keysOf(context).create(page ?? null, { scope, access, name, expiresAt });
      const owner = page ?? 'the installation';
      const text = `${created.key}\n\nThis is the ${scope} key ${created.id} of ${owner}. It is not shown again.\n`;
      return { json: { ...keyJson(created), key: created.key }, text };
    },
  }),

  defineCommand({
    name: 'key set',
    runsRemotely: true,
    summary: 'give an API key another name',
    help: 'Changes the name by which lists show a key. ID is as in: heartline key list',
    arguments: { id: 'ID' },
    options: { name: { ...settings.name, required: true }, page: pageOfIdOption },
    json: '',
    async run(context, { name, ...ref }) {
      const key = await keysOf(context).rename(ref, name);
      return { json: keyJson(key), text: `${key.displayPrefix}… (${key.id}) is named ${key.name}.\n` };
    },
  }),

  defineCommand({
    name: 'key revoke',
    runsRemotely: true,
    summary: 'revoke an API key for good',
    help: `Revokes a key; every running instance refuses it within 5 seconds, usually after one. ID is as in:
heartline key list`,
    arguments: { id: 'ID' },
    options: { page: pageOfIdOption },
    json: '',
    async run(context, ref) {
      const key = await keysOf(context).revoke(ref);
      const text = `${key.displayPrefix}… (${key.id}) is revoked since ${key.revokedAt}.\n`;
      return { json: keyJson(key), text };
    },
  }),

  defineCommand({
    name: 'key list',
    runsRemotely: true,
    summary: 'list the API keys of a page or of the installation',
    help: `Lists keys, including revoked ones, oldest first. The time of the last use may be two minutes old.`,
    options: {
      page: { value: 'SLUG', help: 'the page', excludes: 'installation' },
      installation: { help: 'those with the scope admin, which are of no page' },
    },
    json: '{"keys": [...]}',
    async run(context, { page, installation }) {
      if (page === undefined && !installation) throw missingOptions([['page', pageOption]]);
      const keys = await keysOf(context).list(page ?? null);
      const rows = keys.map((key) => [
        key.id,
        key.name ?? '',
        key.access === 'read' ? `${key.scope}, read` : key.scope,
        `${key.displayPrefix}…`,
        key.createdAt,
        key.lastUsedAt ?? 'never',
        key.expiresAt ?? '',
        key.revokedAt ?? '',
      ]);
      const headings = ['ID', 'NAME', 'SCOPE', 'KEY', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED'];
      const empty = `${page ?? 'The installation'} has no key yet; create one with: ${context.commandPrefix} key create`;
      return { json: { keys: keys.map(keyJson) }, text: formatTable(headings, rows, empty) };
    },
  }),
];

function keyJson({ id, scope, name, displayPrefix, ...key }: ManagedKey): object {
  const { access, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt } = key;
  return {
    ...{ id, scope, name, access, prefix: displayPrefix, createdAt, createdBy },
    ...{ lastUsedAt, expiresAt, revokedAt },
  };
}
