import type { ContactWayKind } from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import type { UserId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import type { ProviderOrigins } from '../channels/index.js';
import type { WayQuietHours, WaySettingsChange } from './parse-way.js';
import type { WaySender } from './sender.js';

/** The dependencies of verbs that change or try ways. */
export type WayDeps = {
  sql: Sql;
  clock: Clock;
  by: Actor;
  secretKey: string;
  sender: WaySender;
  /** Address of the service. */
  baseUrl(): string;
  /** The servers of the providers when absent. */
  origins?: ProviderOrigins;
};

/** The owner of a way. `language` is null when the person has not chosen one. */
export type WayOwner = { userId: UserId; email: string; language: string | null };

export type WayInput = {
  kind: ContactWayKind;
  /** The name of the kind when absent. */
  name?: string | undefined;
  settings?: WaySettingsChange | undefined;
  /** All when absent. */
  severities?: readonly AlertSeverity[] | undefined;
  quietHours?: WayQuietHours | null | undefined;
};
