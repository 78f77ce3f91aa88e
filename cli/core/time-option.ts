import { parseTimestamp } from '../../lib/timestamp.js';
import { UsageError } from './errors.js';

/** @throws UsageError unless the text is a time; the service's own error would name a field of the API. */
export function parseTimeOption(text: string, option: string): string {
  if (!Number.isNaN(parseTimestamp(text))) return text;
  throw new UsageError(`${option} must be a time such as 2026-01-31T23:00:00Z, not "${text}".`);
}
