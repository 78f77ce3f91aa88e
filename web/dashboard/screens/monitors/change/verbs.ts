import type { ManagedMonitor } from '../../../../../contract/manage/monitors.js';
import { pagePath } from '../../../reads/api-path.js';
import { sendForTag, sendJson } from '../../../reads/fetch-json.js';

/** A monitor of a page, by their slugs. */
type Ref = { page: string; monitor: string };

function pathOf({ page, monitor }: Ref, verb = ''): string {
  return pagePath(page, `/monitors/${encodeURIComponent(monitor)}${verb}`);
}

/** @throws ReadError as sendJson() */
export function sendPause(ref: Ref, isPaused: boolean) {
  return sendForTag<ManagedMonitor>('POST', pathOf(ref, isPaused ? '/pause' : '/resume'));
}

/** @throws ReadError as sendJson() */
export function sendDelete(ref: Ref): Promise<void> {
  return sendJson('DELETE', pathOf(ref));
}

/** Moves a monitor to the end of a group; null takes it out of its group. @throws ReadError as sendJson() */
export function sendMove(ref: Ref, group: string | null): Promise<unknown> {
  return sendJson('PATCH', pathOf(ref), { group });
}
