import type { FilePath } from './read-file.js';

/** Values by name, in the form in which the service stores them. */
export type Fields = Readonly<Record<string, unknown>>;

/** An entry of a section whose things are known by their slug. */
export type WantedBySlug = {
  slug: string;
  /** In the form in which the service stores them, with every default. */
  fields: Fields;
  /** The body that creates or replaces it. */
  put: object;
  path: FilePath;
};
