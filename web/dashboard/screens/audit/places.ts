import type { AuditEntry } from '../../../../contract/manage/audit.js';
import type { PageScreen } from '../../../account/manage-paths.js';
import { screenPath } from '../../../account/manage-paths.js';
import { searchOf } from '../../address/use-address.js';
import { boardPath, incidentPath } from '../../shell/screens.js';

const screenOf: Readonly<Record<string, PageScreen>> = {
  'alert-rule': 'rules',
  channel: 'channels',
  connection: 'connections',
  delivery: 'webhooks',
  deployment: 'deployments',
  email: 'subscribers',
  'event-store': 'event-store',
  group: 'page',
  invitation: 'people',
  key: 'keys',
  logo: 'page',
  page: 'page',
  policy: 'policies',
  query: 'sql',
  'report-settings': 'reports',
  reporter: 'reporters',
  role: 'people',
  subscriber: 'subscribers',
  template: 'incidents',
  user: 'people',
  webhook: 'webhooks',
};

/** Where somebody sees what an entry of the log is about; `undefined` where no screen has it. */
export function placeOfTarget(slug: string, { type, id, name }: AuditEntry['target']): string | undefined {
  if (type === 'monitor') return screenPath(slug, 'monitors') + searchOf({ monitor: name });
  if (type === 'incident' || type === 'postmortem') return incidentPath(slug, id);
  if (type === 'alert') return screenPath(slug, 'alerts') + searchOf({ alert: id });
  if (type === 'silence') return screenPath(slug, 'alerts') + searchOf({ show: 'quiet' });
  if (type === 'rule') return screenPath(slug, 'rules') + searchOf({ rule: name });
  if (type === 'objective') return screenPath(slug, 'objectives') + searchOf({ objective: name });
  if (type === 'board') return boardPath(slug, name);
  if (type === 'key') return screenPath(slug, 'keys') + searchOf({ show: 'all', 'keys-find': name });
  if (type === 'schedule') return screenPath(slug, 'on-call') + searchOf({ schedule: name });
  if (type === 'template') return screenPath(slug, 'incidents') + searchOf({ view: 'templates' });
  const screen = screenOf[type];
  return screen === undefined ? undefined : screenPath(slug, screen);
}
