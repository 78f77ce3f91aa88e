/** Replication slot that keeps the log of the embedded PostgreSQL for as long as its files are being copied. */
export const backupSlot = 'heartline_backup';

/** Longest time that a copy may take; a slot that is older was left behind by one that was killed. */
const copyHoursMax = 2;

/** Removes the slot of a copy that did not end, so that the log does not grow for ever. */
export const dropAbandonedSlot = `
  select pg_drop_replication_slot(slot_name) from pg_replication_slots
  where slot_name = '${backupSlot}' and inactive_since < now() - interval '${copyHoursMax} hours'`;

/** After a start no copy is under way. */
export const dropAnySlot = `
  select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${backupSlot}'`;
