import { type FieldErrors, fieldErrorOf, type ReadError } from '../../../reads/fetch-json.js';

/** Says of which layer a refusal is; `undefined` for one that is about none. */
export function explainLayers(
  error: ReadError,
  layers: readonly { name: string }[],
): FieldErrors | undefined {
  const { path: [of, at = ''] = [], problem = '' } = fieldErrorOf(error) ?? {};
  if (of !== 'layers') return undefined;
  const name = layers[Number(at)]?.name;
  return { layers: name === undefined ? problem : `${name}: ${problem}` };
}
