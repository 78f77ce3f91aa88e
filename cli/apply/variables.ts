import type { ApplyFile } from '../../contract/manage/apply.js';
import type { Variable } from '../../contract/manage/apply-monitor.js';
import { FileError, type FilePath, type ReadFile } from './read-file.js';

/** Looks up a variable of the environment. */
export type FindVariable = (name: string) => string | undefined;

/** Returns the text, or the text of the variable that it names. */
export type Resolve = (value: string | Variable) => string;

/**
 * Returns a function for the texts of a file that may be in the environment. An empty variable counts as missing: CI gives
 * one for a secret that it does not have.
 *
 * @throws FileError that names every missing variable with its place.
 */
export function resolveVariables({ value, placeOf }: ReadFile, find: FindVariable): Resolve {
  const missing = variablesOf(value).filter(({ name }) => !find(name));
  if (missing.length > 0) {
    const named = missing.map(({ name, path }) => `${name} (${placeOf(path)})`);
    throw new FileError(
      missing.length === 1
        ? `The variable ${named[0]} is not set.`
        : `These variables are not set: ${named.join(', ')}.`,
    );
  }
  return (text) => (typeof text === 'string' ? text : (find(text.env) ?? ''));
}

function variablesOf(file: ApplyFile): { name: string; path: FilePath }[] {
  const found: { name: string; path: FilePath }[] = [];
  const look = (value: string | Variable | undefined, path: FilePath) => {
    if (typeof value === 'object') found.push({ name: value.env, path });
  };
  for (const [slug, { url, body, headers = {} }] of Object.entries(file.monitors ?? {})) {
    const path = ['monitors', slug];
    look(url, [...path, 'url']);
    look(body, [...path, 'body']);
    for (const [name, value] of Object.entries(headers)) look(value, [...path, 'headers', name]);
  }
  for (const [name, { settings = {} }] of Object.entries(file.channels ?? {})) {
    for (const [field, value] of Object.entries(settings)) look(value, ['channels', name, 'settings', field]);
  }
  for (const [index, { url }] of (file.webhooks ?? []).entries()) look(url, ['webhooks', index, 'url']);
  return found;
}
