import type { Test } from 'tap';
import type { BatchRejection } from '../../contract/rejections.js';
import type { Answer } from './service.js';

/** Returns what an acknowledgement says about rejected events. */
export function rejectionsOf({ body }: Answer): BatchRejection[] {
  return (body as { rejections?: BatchRejection[] }).rejections ?? [];
}

/** Returns the rest of an acknowledgement. Asserts that its rejections account for each rejected event. */
export function withoutRejections(t: Test, answer: Answer): object {
  const { rejections, ...rest } = answer.body as { rejected: number; rejections?: BatchRejection[] };
  t.equal(
    rejections !== undefined,
    rest.rejected > 0,
    'there are rejections exactly when events were rejected',
  );
  const counted = (rejections ?? []).reduce((sum, { count }) => sum + count, 0);
  t.equal(counted, rest.rejected, 'and they account for each');
  return rest;
}
