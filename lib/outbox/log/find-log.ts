import { access, constants, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseId } from '../../ids.js';
import { idForm, logFolderName, ownerFile } from './log-folder.js';

/** A folder with a log, and the folders of its owners. */
export type FoundLog = { dir: string; owners: string[] };

/**
 * Finds the log in a folder: the folder of a log, a data folder with a log, or the folder of one owner, also under another
 * name.
 *
 * @throws Error with a sentence when there is none, or it cannot be read.
 */
export async function findLog(path: string): Promise<FoundLog> {
  const names = await readFolder(path);
  if (idForm.test(basename(path)) || names.some((name) => name === ownerFile || isStore(name))) {
    return { dir: path, owners: [path, ...ownersAmong(path, names)] };
  }
  if (names.includes(logFolderName)) return findAll(join(path, logFolderName));
  if (names.length === 0 || ownersAmong(path, names).length > 0) return findAll(path);
  throw new Error(
    `${path} holds no log of events. Name the folder "${logFolderName}" of a data folder, or a folder in it.`,
  );
}

/** Whether a data folder holds a log. @throws Error with a sentence when it cannot be read. */
export async function hasLog(dataDir: string): Promise<boolean> {
  return (await readFolder(dataDir).catch(unlessGone)).includes(logFolderName);
}

/** An interrupted delivery from the folder of one owner may have left the folder of its process in it. */
async function findAll(dir: string): Promise<FoundLog> {
  const owners = ownersAmong(dir, await readFolder(dir));
  const inner = owners.map(async (owner) => ownersAmong(owner, await readFolder(owner).catch(unlessGone)));
  return { dir, owners: [...owners, ...(await Promise.all(inner)).flat()].sort() };
}

const ownersAmong = (dir: string, names: readonly string[]): string[] =>
  names
    .filter((name) => idForm.test(name))
    .sort()
    .map((name) => join(dir, name));

/**
 * Checks that the folders of a log may be read, and changed where `change` is set. Folders that are gone are no obstacle.
 *
 * @throws Error with a sentence.
 */
export async function checkAccess({ dir, owners }: FoundLog, change: boolean): Promise<void> {
  const stores = owners.map(async (owner) =>
    (await readFolder(owner).catch(unlessGone)).filter(isStore).map((store) => join(owner, store)),
  );
  for (const folder of [...owners, ...(await Promise.all(stores)).flat()]) {
    await readFolder(folder).catch(unlessGone);
    if (change) await checkWritable(folder);
  }
  if (change) await checkWritable(dir);
}

const isStore = (name: string): boolean => name === 'default' || parseId(name) !== undefined;

class NoFolder extends Error {}

function unlessGone(error: unknown): string[] {
  if (error instanceof NoFolder) return [];
  throw error;
}

async function readFolder(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') throw new NoFolder(`There is no folder ${path}.`);
    if (code === 'ENOTDIR') throw new Error(`${path} is not a folder.`);
    throw new Error(`${path} cannot be read (${code}). Run the command as the user of the service.`);
  }
}

async function checkWritable(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return;
    const advice =
      code === 'EROFS'
        ? 'Copy it to a disk that can be written, and name the copy.'
        : 'Run the command as the user of the service.';
    throw new Error(`${path} cannot be changed (${code}). ${advice}`);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
