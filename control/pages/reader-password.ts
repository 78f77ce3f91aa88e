import { Buffer } from 'node:buffer';
import type { PageId } from '../../lib/ids.js';
import type { ScryptParameters, StoredPassword } from '../../lib/secrets/passwords.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** As the column has it: bytes in base64. */
type Column = { hash: string; salt: string; parameters: ScryptParameters };

/** Loads the password of the readers of a page, as it is stored; `undefined` without one. */
export async function loadReaderPassword(sql: Sql, pageId: PageId): Promise<StoredPassword | undefined> {
  const [row] = await sql<{ password: Column | null }[]>`
    select reader_password as password from pages where id = ${pageId}`;
  if (row === undefined || row.password === null) return undefined;
  const { hash, salt, parameters } = row.password;
  return { hash: Buffer.from(hash, 'base64'), salt: Buffer.from(salt, 'base64'), parameters };
}

/** Sets the password of the readers of a page, or removes it. */
export async function setReaderPassword(
  tx: Transaction,
  pageId: PageId,
  password: StoredPassword | null,
): Promise<void> {
  const column: Column | null = password && {
    ...{ hash: password.hash.toString('base64'), salt: password.salt.toString('base64') },
    parameters: password.parameters,
  };
  await tx`
    update pages set reader_password = ${column === null ? null : tx.json(column)} where id = ${pageId}`;
}
