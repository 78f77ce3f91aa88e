import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';

/** The settings that decide whether private addresses are allowed; the first that is set counts. */
export type PrivateAddressRule = {
  /** The value of HEARTLINE_ALLOW_PRIVATE_ADDRESSES; `undefined` when it is not set. */
  fixed: boolean | undefined;
  /** Without a public address, a service is for the own use of whoever runs it, who watches a network of their own. */
  usual: boolean;
};

export type PrivateAddressState = {
  allowed: boolean;
  decidedBy: 'environment' | 'installation' | 'default';
};

/** Decides by what the installation has `chosen`. */
export function decidePrivateAddresses(
  { fixed, usual }: PrivateAddressRule,
  chosen: boolean | undefined,
): PrivateAddressState {
  if (fixed !== undefined) return { allowed: fixed, decidedBy: 'environment' };
  if (chosen !== undefined) return { allowed: chosen, decidedBy: 'installation' };
  return { allowed: usual, decidedBy: 'default' };
}

/** Returns what the installation has chosen; `undefined` when it has not. */
export async function loadPrivateAddressChoice({
  sql,
}: {
  sql: Sql | Transaction;
}): Promise<boolean | undefined> {
  const [row] = await sql<{ allowed: boolean }[]>`select allowed from private_addresses`;
  return row?.allowed;
}

/** Allows or refuses private addresses on every instance, within two seconds; null returns to the default. */
export async function changePrivateAddresses(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  allowed: boolean | null,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`lock table private_addresses in share row exclusive mode`;
    const before = (await loadPrivateAddressChoice({ sql: tx })) ?? null;
    const now = clock.now();
    if (allowed === null) await tx`delete from private_addresses`;
    else {
      await tx`
        insert into private_addresses (allowed, changed_at) values (${allowed}, ${new Date(now)})
        on conflict (only_row) do update set allowed = excluded.allowed, changed_at = excluded.changed_at`;
    }
    await recordChange(
      tx,
      { by, now },
      {
        pageId: null,
        action: 'installation.update',
        target: { type: 'installation', id: 'installation', name: 'installation' },
        before: { allowPrivateAddresses: before },
        after: { allowPrivateAddresses: allowed },
      },
    );
  });
}
