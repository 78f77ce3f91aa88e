import type { ManagedPage } from '../../contract/manage/pages.js';
import type { PageChanges } from '../../control/pages/index.js';
import { differences, nothing, type PlanInput, type PlanPart } from './change.js';
import type { Fields } from './desired.js';
import type { Installation } from './installation.js';
import { FileError } from './read-file.js';

/** Plans the settings of the page itself. */
export function planPage(
  { pages }: Installation,
  { desired }: PlanInput,
  page: ManagedPage | undefined,
): PlanPart {
  const { slug, page: wanted, placeOf } = desired;
  const place = placeOf(['page']);
  const fields = differences(page, wanted);
  const { hostname } = wanted;
  if (page === undefined) {
    if (typeof hostname !== 'string') {
      throw new FileError(`${place}: There is no page "${slug}" yet; a new one needs a hostname.`);
    }
    const make = async () => {
      await pages.create({ ...toChanges(wanted), slug, hostname });
      return {};
    };
    return { ...nothing(), makes: [{ verb: 'create', noun: 'page', name: slug, fields, place, make }] };
  }
  if (fields.length === 0) return nothing();
  const changes = toChanges(Object.fromEntries(fields.map(({ field, after }) => [field, after])));
  const make = async () => {
    await pages.change(slug, changes);
    return {};
  };
  return { ...nothing(), makes: [{ verb: 'update', noun: 'page', name: slug, fields, place, make }] };
}

/** The fields under the names of PageChanges. */
function toChanges({ databaseHealth, ...fields }: Fields): PageChanges {
  return {
    ...fields, // Their names and types are those of the schema of the file.
    ...(typeof databaseHealth === 'boolean' && { databaseHealthEnabled: databaseHealth }),
  };
}
