import type { PutMonitor } from '../../contract/manage/monitors.js';
import type { MonitorSettings } from '../../control/monitors/index.js';

/** The settings of a body under the names of MonitorSettings; null stands for the default, and for none. */
export function toSettings({ headers, body, ...fields }: PutMonitor): MonitorSettings {
  const { type, name, slug, names, descriptions, ...settings } = fields;
  const given = Object.entries(settings).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(names && { names }),
    ...(descriptions && { descriptions }),
    ...(headers !== undefined && {
      headers: (headers ?? []).map((header) => [header.name, header.value] as const),
    }),
    ...(body !== undefined && { body: body ?? '' }),
  };
}
