import type { TSchema } from 'typebox';
import { Nothing } from '../client/client.js';
import {
  type Change,
  differences,
  nothing,
  type PlanInput,
  type PlanOn,
  type PlanPart,
  withDeletes,
} from './change.js';
import type { Fields, WantedBySlug } from './fields.js';
import { FileError } from './read-file.js';

/** A section of the file whose things have a slug, and are made and replaced by a PUT. */
export type SlugSection<One extends { slug: string }> = {
  noun: Change['noun'];
  /** The list below the page, such as `/groups`. */
  list: string;
  /** The schema of one of them. */
  answer: TSchema;
  /** How many a page may have. */
  most: number;
  /** The fields that a file says, with every default. */
  fieldsOf(one: One): Fields;
  /** A field that cannot change: with `prunes` the thing is deleted and made again. */
  fixed?: string;
};

type Things<One> = {
  /** In the order in which they are made. */
  wanted: readonly WantedBySlug[];
  /** Things of the page, in the order in which they may be deleted. */
  present: readonly One[];
  /** Whether one is sent although it is as the file says, because a change before it may change it. */
  mayChange?(one: WantedBySlug): boolean;
};

/**
 * Plans the things of a section. What the file lacks is deleted with `prunes`.
 *
 * @throws FileError for a field that cannot change, without `prunes`.
 */
export function planBySlug<One extends { slug: string }>(
  { client, path: pagePath }: PlanOn,
  { desired: { placeOf }, prunes }: PlanInput,
  section: SlugSection<One>,
  { wanted, present, mayChange = () => false }: Things<One>,
): PlanPart {
  const { noun, list, answer, most, fieldsOf, fixed = '' } = section;
  const pathOf = (slug: string) => `${pagePath}${list}/${slug}`;
  const plan = nothing();
  const remove = async (slug: string) => {
    await client.send('DELETE', pathOf(slug), { answer: Nothing });
    return {};
  };
  for (const one of wanted) {
    const { slug, put } = one;
    const found = present.find((other) => other.slug === slug);
    const before = found && fieldsOf(found);
    const fields = differences(before, one.fields);
    const make = async () => {
      await client.send('PUT', pathOf(slug), { answer, body: put });
      return {};
    };
    const change = { ...({ noun, name: slug } as const), place: placeOf(one.path) };
    if (before === undefined) plan.makes.push({ ...change, verb: 'create', fields, make });
    else if (before[fixed] !== one.fields[fixed]) {
      if (!prunes) throw fixedField(change, fixed, [before, one.fields]);
      plan.makes.push({ ...change, verb: 'replace', fields, make: () => remove(slug).then(make) });
    } else if (fields.length > 0) plan.makes.push({ ...change, verb: 'update', fields, make });
    else if (mayChange(one)) plan.sends.push({ ...change, make });
  }
  const deletes = present
    .filter(({ slug }) => !wanted.some((one) => one.slug === slug))
    .map(({ slug }): Change => {
      return { verb: 'delete', noun, name: slug, fields: [], make: () => remove(slug) };
    });
  return withDeletes(plan, { deletes, prunes, room: most - present.length });
}

function fixedField(
  { noun, name, place }: Pick<Change, 'noun' | 'name' | 'place'>,
  field: string,
  [before, after]: [Fields, Fields],
): FileError {
  return new FileError(
    `${place}: The ${noun} "${name}" is of the ${field} ${before[field]} and cannot become ${after[field]}; with --prune it is deleted and made again.`,
  );
}
