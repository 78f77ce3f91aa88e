/**
 * The treatment of a setting of the source by an import.
 *
 * - `read`: it becomes a setting here, or decides what becomes of the others
 * - `noted`: a note says what it was and is not here
 * - `left`: a monitor that has it is not taken, with the reason
 * - `aside`: says nothing about what is checked or shown, such as an id, or belongs to a check of another kind
 */
export type KeyUse = 'read' | 'noted' | 'left' | 'aside';

/** Settings of the source by their names, such as `client.timeout`. */
export type Keys = Readonly<Record<string, KeyUse>>;

/** Whether a value says something; empty texts, lists and objects do not. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === '~') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** The treatment of a setting; one that no list has is noted. */
export function useOf(keys: Keys, key: string): KeyUse {
  return (Object.hasOwn(keys, key) && keys[key]) || 'noted';
}

/** Names of settings that no list of keys has, in the order of the file. Values are never part of it. */
export function unknownKeys(row: object, keys: Keys, prefix = ''): string[] {
  return Object.entries(row)
    .filter(([key, value]) => !Object.hasOwn(keys, `${prefix}${key}`) && isSet(value))
    .map(([key]) => `${prefix}${key}`);
}

/** A note for each setting that nothing reads. */
export function unreadNotes(names: readonly string[]): string[] {
  return names.map((name) => `its setting ${name.slice(0, 100)} is not read`);
}
