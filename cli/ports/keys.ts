import type { Static } from 'typebox';
import { CreatedManagedKey, ManagedKey } from '../../contract/manage/keys.js';
import {
  type CreateKeyInput,
  createKey,
  type Key,
  listKeys,
  renameKey,
  revokeKey,
} from '../../control/keys/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { CommandContext } from '../core/context.js';
import { isoTime } from '../core/output.js';
import { Nothing, type Remote } from '../remote/remote.js';
import { localRef, type Ref } from './ref.js';

export type NewKey = Omit<CreateKeyInput, 'pageId'>;

/** The keys of an installation, on its stores or over HTTP. */
export type Keys = {
  /** Makes a key of the page with the slug, or for null one of the installation. */
  create(page: string | null, input: NewKey): Promise<Static<typeof CreatedManagedKey>>;
  /** The keys of a page, or for null those of the installation, oldest first. */
  list(page: string | null): Promise<ManagedKey[]>;
  rename(ref: Ref, name: string): Promise<ManagedKey>;
  /** A key that is revoked again keeps its first time. */
  revoke(ref: Ref): Promise<ManagedKey>;
};

export function keysOf(context: CommandContext): Keys {
  return context.remote === undefined ? localKeys(context) : remoteKeys(context.remote);
}

function localKeys(context: CommandContext): Keys {
  const pageIdOf = async (page: string | null) =>
    page === null ? null : (await context.openPage(page)).pageId;
  return {
    async create(page, input) {
      const pageId = await pageIdOf(page);
      const { key, ...created } = await createKey(await context.openControl(), { pageId, ...input });
      return { ...toManaged(created), key };
    },
    async list(page) {
      const pageId = await pageIdOf(page);
      return (await listKeys(await context.openControl(), pageId)).map(toManaged);
    },
    async rename(ref, name) {
      return toManaged(
        await renameKey(await context.openControl(), { ...(await localRef(context, ref)), name }),
      );
    },
    async revoke(ref) {
      return toManaged(await revokeKey(await context.openControl(), await localRef(context, ref)));
    },
  };
}

function remoteKeys(remote: Remote): Keys {
  const listOf = async (page: string) => (await remote.list(`${page}/keys`, ManagedKey)).reverse();
  return {
    async create(page, { expiresAt, ...input }) {
      if (page === null) throw ofInstallation();
      return remote.send('POST', `${await remote.pathOf(page)}/keys`, {
        answer: CreatedManagedKey,
        body: { ...input, expiresAt: expiresAt?.toISOString() },
      });
    },
    async list(page) {
      if (page === null) throw ofInstallation();
      return listOf(await remote.pathOf(page));
    },
    async rename({ id, page }, name) {
      const path = `${await remote.pathOf(page)}/keys/${encodeURIComponent(id)}`;
      return remote.send('PATCH', path, { answer: ManagedKey, body: { name } });
    },
    async revoke({ id, page }) {
      const path = await remote.pathOf(page);
      const refusal = await remote
        .send('DELETE', `${path}/keys/${encodeURIComponent(id)}`, { answer: Nothing })
        .catch((error: unknown) => error);
      const found = (await listOf(path)).find((key) => key.id === id.toLowerCase());
      // A key that was revoked before is not there either.
      if (refusal === null || (found?.revokedAt && isNotFound(refusal))) return found ?? gone(id);
      throw refusal;
    },
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'notFound';
}

function gone(id: string): never {
  throw new Error(`The key ${id} is revoked, and its page was deleted just now.`);
}

function ofInstallation(): ServiceError {
  return new ServiceError('notAllowed', {
    message: 'Keys of the installation are made and listed on its server, and not over HTTP.',
  });
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
