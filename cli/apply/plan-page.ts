import { ManagedPage } from '../../contract/manage/pages.js';
import { differences, nothing, type PlanInput, type PlanOn, type PlanPart } from './change.js';
import { FileError } from './read-file.js';

/** Plans the settings of the page itself. */
export function planPage(
  { client, path }: PlanOn,
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
      await client.send('POST', '/api/v1/pages', { answer: ManagedPage, body: { ...wanted, slug } });
      return {};
    };
    return { ...nothing(), makes: [{ verb: 'create', noun: 'page', name: slug, fields, place, make }] };
  }
  if (fields.length === 0) return nothing();
  const body = Object.fromEntries(fields.map(({ field, after }) => [field, after]));
  const make = async () => {
    await client.send('PATCH', path, { answer: ManagedPage, body });
    return {};
  };
  return { ...nothing(), makes: [{ verb: 'update', noun: 'page', name: slug, fields, place, make }] };
}
