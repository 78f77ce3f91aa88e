import { aliasChars } from '../contract/alias.js';
import { scopes } from '../contract/scopes.js';
import { createKey, type Key, listKeys, renameKey, revokeKey } from '../control/keys/index.js';
import { defineCommand } from './core/define-command.js';
import { formatTable, isoTime } from './core/output.js';
import { pageOption } from './page.js';

/** What `key create` and `key set` share. */
const settings = {
  name: {
    value: 'NAME',
    help: `who uses the key, such as "checkout on eu-1"; at most ${aliasChars} characters`,
  },
} as const;

export const keyCommands = [
  defineCommand({
    name: 'key create',
    summary: 'create an API key of a page',
    help: 'Creates a key and prints it. The key is shown only this once; only its hash is stored.',
    options: {
      page: { ...pageOption, help: 'the page that the key belongs to' },
      scope: {
        value: 'SCOPE',
        help: `incident: write incidents; ingest: send events and measurements; read: read the private analytics`,
        required: true,
        choices: scopes,
      },
      ...settings,
    },
    json: '{"id", "scope", "name", "key"}',
    async run(context, { page: slug, scope, name }) {
      const { pageId, ...deps } = await context.openPage(slug);
      const created = await createKey(deps, { pageId, scope, name });
      const text = `${created.key}\n\nThis is the ${scope} key ${created.id} of ${slug}. It is not shown again.\n`;
      return { json: created, text };
    },
  }),

  defineCommand({
    name: 'key set',
    summary: 'give an API key another name',
    help: 'Changes the name by which lists show a key. ID is as in: heartline key list',
    arguments: { id: 'ID' },
    options: { name: { ...settings.name, required: true } },
    json: '',
    async run(context, { id, name }) {
      const key = await renameKey(await context.openControl(), { id, name });
      return { json: keyJson(key), text: `${key.displayPrefix}… (${key.id}) is named ${key.name}.\n` };
    },
  }),

  defineCommand({
    name: 'key revoke',
    summary: 'revoke an API key for good',
    help: `Revokes a key; every running instance refuses it within 5 seconds, usually after one. ID is as in:
heartline key list`,
    arguments: { id: 'ID' },
    json: '',
    async run(context, { id }) {
      const key = await revokeKey(await context.openControl(), { id });
      const text = `${key.displayPrefix}… (${key.id}) is revoked since ${isoTime(key.revokedAt)}.\n`;
      return { json: keyJson(key), text };
    },
  }),

  defineCommand({
    name: 'key list',
    summary: 'list the API keys of a page',
    help: `Lists the keys of a page, including revoked ones, oldest first. The time of the last use may be two minutes old.`,
    options: { page: pageOption },
    json: '{"keys": [...]}',
    async run(context, { page: slug }) {
      const { sql, pageId } = await context.openPage(slug);
      const keys = await listKeys({ sql }, pageId);
      const rows = keys.map((key) => [
        key.id,
        key.name ?? '',
        key.scope,
        `${key.displayPrefix}…`,
        key.createdAt.toISOString(),
        isoTime(key.lastUsedAt) ?? 'never',
        isoTime(key.revokedAt) ?? '',
      ]);
      const empty = `${slug} has no key yet; create one with: heartline key create`;
      return {
        json: { keys: keys.map(keyJson) },
        text: formatTable(['ID', 'NAME', 'SCOPE', 'KEY', 'CREATED', 'LAST USED', 'REVOKED'], rows, empty),
      };
    },
  }),
];

function keyJson({ id, scope, name, displayPrefix, createdAt, lastUsedAt, revokedAt }: Key): object {
  return {
    ...{ id, scope, name, prefix: displayPrefix, createdAt: createdAt.toISOString() },
    ...{ lastUsedAt: isoTime(lastUsedAt), revokedAt: isoTime(revokedAt) },
  };
}
