import {
  type ContactWayKind,
  type PersonPhase,
  phoneWayKinds,
  providerWayKinds,
} from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { AttemptSchedule } from '../../lib/back-off.js';
import type { ContactWayId, PageId, PersonMessageId, UserId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import type { ChannelMessage } from '../channels/index.js';
import type { Claim, Queue } from '../delivery/index.js';

/** Limit of a whole attempt. A mail server may take longer than a program: it looks at a message before it answers. */
export const attemptTimeoutMs = 20 * secondMs;

/**
 * Twelve attempts in about an hour, none more than 15 minutes behind the one before: a policy has told others by then,
 * and a way that works again must not hold the next alert back for long.
 */
export const personSchedule: AttemptSchedule = {
  pausesSeconds: [5, 10, 20, 40, 60, 120, 240, 480, 600, 900, 900],
  jitter: 0.1,
};

export const messageTable = { table: 'person_messages' };

/** How messages leave. A mail server that hangs takes no room from others, nor a gateway. */
export type Carrier = 'smtp' | 'providers' | 'gateway';

const kindsOf: Readonly<Record<Carrier, readonly ContactWayKind[]>> = {
  smtp: ['email'],
  providers: providerWayKinds,
  gateway: phoneWayKinds,
};
export const carriers: readonly Carrier[] = ['providers', 'gateway', 'smtp'];

/** A message about an alert, as it is stored: links may change before it is sent, and tokens of links are not stored. */
export type StoredPersonMessage = Pick<ChannelMessage, 'title' | 'text' | 'facts' | 'at'>;

/** A message that this instance alone may send until its lease ends. */
export type ClaimedPersonMessage = {
  id: PersonMessageId;
  pageId: PageId;
  pageSlug: string;
  pageName: string;
  userId: UserId;
  /** Email of the account. */
  email: string;
  language: string | null;
  /** Whether the person may still hear of the page. */
  mayHear: boolean;
  /** Whether a message about the alert was delivered to the way before. */
  wasTold: boolean;
  /** The id of the person for the email of the account. */
  wayId: ContactWayId | UserId;
  kind: ContactWayKind;
  host: string;
  /** The sealed settings of the way; null for the email of the account, and for a way that was deleted. */
  settings: Buffer | null;
  isConfirmed: boolean;
  alertKey: string;
  phase: PersonPhase;
  severity: AlertSeverity;
  message: StoredPersonMessage;
  /** Number of this attempt, from 1. */
  attempts: number;
  seq: bigint;
};

/** The messages that leave by a carrier. Messages of one way follow each other. */
export function personQueue(carrier: Carrier): Queue {
  return {
    ...{ ...messageTable, schedule: personSchedule, selectClaimed },
    leaseMs: 2 * attemptTimeoutMs + clocksDifferMsMax,
    selectHeads: (claim) => selectHeads(claim, kindsOf[carrier]),
  };
}

/** Only the first message of a way that waits may be attempted; messages that quiet hours hold let others pass. */
function selectHeads({ sql, now, isDue }: Claim, kinds: readonly ContactWayKind[]): Fragment {
  return sql`
    head as (
      select m.id, m.page_id, coalesce(w.host, m.kind) as key, m.next_attempt_at, m.seq,
        row_number() over (partition by m.page_id, w.host order by m.next_attempt_at, m.seq) as turn
      from person_messages m left join contact_ways w on w.id = m.way_id
      where ${isDue('m')} and m.kind = any (${[...kinds]}::text[]) and not exists (
        select 1 from person_messages earlier
        where earlier.way_id = m.way_id and earlier.state = 'pending' and earlier.seq < m.seq
          and (earlier.held_until is null or earlier.held_until <= ${new Date(now)}))
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select m.id, m.page_id as "pageId", p.slug as "pageSlug", p.name as "pageName", m.user_id as "userId", u.email,
      u.language, m.way_id as "wayId", m.kind, coalesce(w.host, m.kind) as host, w.settings,
      w.confirmed_at is not null as "isConfirmed", m.alert_key as "alertKey", m.phase, m.severity, m.message, m.attempts,
      m.seq,
      u.disabled_at is null and p.deleted_at is null and exists (
        select 1 from page_roles r where r.page_id = m.page_id and r.user_id = m.user_id) as "mayHear",
      exists (
        select 1 from person_messages before
        where before.page_id = m.page_id and before.way_id = m.way_id and before.alert_key = m.alert_key
          and before.phase <> 'end' and before.state = 'delivered') as "wasTold"
    from claimed m join users u on u.id = m.user_id join pages p on p.id = m.page_id
      left join contact_ways w on w.id = m.way_id`;
}
