import { useFormat } from '../../../format.js';
import { useTexts } from '../../../texts.js';
import { monitorFormTexts } from './texts.js';
import type { MonitorField } from './values.js';

/** Words the range of a number as its field shows it. */
export function useRangeText(): (field: MonitorField, min: number, max: number) => string {
  const format = useFormat();
  const { problems } = useTexts(monitorFormTexts);
  return (field, min, max) => {
    if (field.endsWith('Seconds')) return problems.range(format.span(min), format.span(max));
    if (field.endsWith('Ms')) return problems.range(format.ms(min), format.ms(max));
    return problems.range(format.count(min), format.count(max));
  };
}
