import { pagePath } from '../../reads/api-path.js';

/** The path of a schedule in the management API. */
export function schedulePath(page: string, slug: string): string {
  return pagePath(page, `/schedules/${encodeURIComponent(slug)}`);
}
