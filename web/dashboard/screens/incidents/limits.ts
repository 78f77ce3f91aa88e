import type { incidentLimits, updateStatuses } from '../../../../contract/incidents.js';

/** As the contract has them, whose module would bring its checks into the browser. */
export const titleCharsMax: (typeof incidentLimits)['titleChars'] = 300;
export const textCharsMax: (typeof incidentLimits)['textChars'] = 20_000;
export const statuses: typeof updateStatuses = ['investigating', 'identified', 'monitoring', 'resolved'];
