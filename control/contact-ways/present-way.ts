import { type ContactWay, contactWayLimits } from '../../contract/manage/contact-ways.js';
import { formatMinute } from '../channels/index.js';
import type { ListedWay } from './find-ways.js';
import { addressOf, shownSettings } from './parse-way.js';

/** A way as the management API shows it to its owner. */
export function toContactWay(way: ListedWay): ContactWay {
  const { id, kind, name, open, severities, quietHours, confirmedAt, code, last } = way;
  return {
    ...{ id, kind, name, address: addressOf(way), settings: shownSettings(open), severities },
    quietHours: quietHours && {
      from: formatMinute(quietHours.fromMinute),
      to: formatMinute(quietHours.toMinute),
      timeZone: quietHours.timeZone,
    },
    confirmed: confirmedAt !== null,
    confirmation: code && {
      expiresAt: code.expiresAt.toISOString(),
      triesLeft: Math.max(0, contactWayLimits.codeTries - code.tries),
      failed: code.failed,
    },
    createdAt: way.createdAt.toISOString(),
    last: last && { ...last, at: last.at.toISOString() },
  };
}
