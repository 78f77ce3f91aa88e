import { aliasChars } from '../contract/alias.js';
import { CreatedManagedKey, ManagedKey } from '../contract/manage/keys.js';
import { keyAccesses } from '../contract/permissions.js';
import { scopes } from '../contract/scopes.js';
import {
  type CreateKeyInput,
  createKey,
  type Key,
  listKeys,
  renameKey,
  revokeKey,
} from '../control/keys/index.js';
import { ServiceError } from '../lib/service-error.js';
import { parseTimestamp } from '../lib/timestamp.js';
import { type Client, Nothing, type Ref } from './client/client.js';
import type { CommandContext, ControlStore } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable, isoTime } from './core/output.js';
import { parseTimeOption } from './core/parse-arguments.js';
import { missingOptions } from './core/refusals.js';
import { pageOfIdOption, pageOption } from './page.js';

/** The options that `key create` and `key set` share. */
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
      const created = await makeKey(context, page, { scope, access, name, expiresAt });
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
      const key = await onKey(context, ref, {
        onPage: (path) => context.client.send('PATCH', path, { answer: ManagedKey, body: { name } }),
        onStores: (deps) => renameKey(deps, { id: ref.id, name }),
      });
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
      const key = await onKey(context, ref, {
        onPage: (path) => revoke(context.client, path),
        onStores: (deps) => revokeKey(deps, { id: ref.id }),
      });
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
      const keys = await (page === undefined
        ? listInstallationKeys(context)
        : listPageKeys(context.client, `${await context.client.pathOf(page)}/keys`));
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

type NewKey = Omit<CreateKeyInput, 'pageId'>;

/** Keys of the installation have no routes: they are made on its server alone. */
async function makeKey(
  context: CommandContext,
  page: string | undefined,
  input: NewKey,
): Promise<CreatedManagedKey> {
  if (page === undefined) {
    const { key, ...created } = await createKey(await openInstallation(context), { pageId: null, ...input });
    return { ...toManaged(created), key };
  }
  const { expiresAt, ...settings } = input;
  const body = { ...settings, ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }) };
  const path = `${await context.client.pathOf(page)}/keys`;
  return context.client.send('POST', path, { answer: CreatedManagedKey, body });
}

async function listInstallationKeys(context: CommandContext): Promise<ManagedKey[]> {
  return (await listKeys(await openInstallation(context), null)).map(toManaged);
}

/** The keys of a page, the oldest first. */
async function listPageKeys(client: Client, path: string): Promise<ManagedKey[]> {
  return (await client.list(path, ManagedKey)).reverse();
}

/** @throws ServiceError `notAllowed` over HTTP */
async function openInstallation(context: CommandContext): Promise<ControlStore> {
  if (!context.isRemote) return context.openControl();
  throw new ServiceError('notAllowed', {
    message: 'Keys of the installation are made and listed on its server, and not over HTTP.',
  });
}

/** Changes a key of a page by its route, and a key of the installation on the stores. */
async function onKey(
  context: CommandContext,
  ref: Ref,
  change: { onPage(path: string): Promise<ManagedKey>; onStores(deps: ControlStore): Promise<Key> },
): Promise<ManagedKey> {
  const found = await context.client.pathTo('key', ref).catch((error: unknown) => {
    if (context.isRemote || !isNotFound(error)) throw error;
    return undefined;
  });
  if (found !== undefined) return change.onPage(found);
  return toManaged(await change.onStores(await context.openControl()));
}

/** A key that is revoked again keeps its first time. */
async function revoke(client: Client, path: string): Promise<ManagedKey> {
  const refusal = await client.send('DELETE', path, { answer: Nothing }).catch((error: unknown) => error);
  if (refusal !== null && !isNotFound(refusal)) throw refusal;
  const key = await client.send('GET', path, { answer: ManagedKey });
  if (key.revokedAt === null) throw refusal;
  return key;
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'notFound';
}

function toManaged({ id, name, scope, access, displayPrefix, createdBy, ...times }: Key): ManagedKey {
  return {
    ...{ id, name, scope, access, displayPrefix, createdBy },
    createdAt: times.createdAt.toISOString(),
    lastUsedAt: isoTime(times.lastUsedAt),
    expiresAt: isoTime(times.expiresAt),
    revokedAt: isoTime(times.revokedAt),
  };
}

function keyJson({ id, scope, name, displayPrefix, ...key }: ManagedKey): object {
  const { access, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt } = key;
  return {
    ...{ id, scope, name, access, prefix: displayPrefix, createdAt, createdBy },
    ...{ lastUsedAt, expiresAt, revokedAt },
  };
}
