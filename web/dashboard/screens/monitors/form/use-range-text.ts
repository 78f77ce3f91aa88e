import { useFormat } from '../../../format.js';
import { useTexts } from '../../../texts.js';
import { formTexts } from './texts.js';
import type { MonitorField } from './values.js';

/** Words the range of a number as its field shows it. */
export function useRangeText(): (field: MonitorField, min: number, max: number) => string {
  const format = useFormat();
  const { problems } = useTexts(formTexts);
  return (field, min, max) => {
    if (field.endsWith('Seconds')) return problems.range({ min: format.span(min), max: format.span(max) });
    if (field.endsWith('Ms')) return problems.range({ min: format.ms(min), max: format.ms(max) });
    return problems.range({ min: format.count(min), max: format.count(max) });
  };
}
