import type { Incident } from '../contract/incidents.js';
import { formatFields } from './output.js';

export function incidentText(incident: Incident): string {
  return formatFields([
    ['id', incident.id],
    ['type', incident.type],
    ['title', incident.title],
    ['monitors', incident.monitorSlugs.join(', ') || 'none'],
    ['started', incident.startedAt],
    ['resolved', incident.resolvedAt ?? 'open'],
  ]);
}
