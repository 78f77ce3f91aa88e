/** Replication slot that keeps the log of the embedded PostgreSQL while its files are copied. */
export const backupSlot = 'heartline_backup';

/** Longest time that a copy may take, in hours. An older slot is left from a copy that was killed. */
const copyHoursMax = 2;

/** Drops the slot of a copy that did not end, so that the log does not grow without bound. */
export const dropAbandonedSlot = `
  select pg_drop_replication_slot(slot_name) from pg_replication_slots
  where slot_name = '${backupSlot}' and inactive_since < now() - interval '${copyHoursMax} hours'`;

/** Drops the slot of any copy: no copy runs while the server starts. */
export const dropAnySlot = `
  select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${backupSlot}'`;
