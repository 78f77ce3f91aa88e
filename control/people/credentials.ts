import type { UserId } from '../../lib/ids.js';
import type { ScryptParameters, StoredPassword } from '../../lib/secrets/passwords.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type User, userColumns } from './user.js';

/** A user with what proves who the person is. Never leaves this folder. */
export type Credentials = {
  user: User;
  password: StoredPassword | undefined;
  /** Encrypted; confirmed or only begun. */
  totpSecret: Buffer | null;
};

type Row = User & {
  password_hash: Buffer | null;
  password_salt: Buffer | null;
  password_parameters: ScryptParameters | null;
  totp_secret: Buffer | null;
};

/** Finds the credentials of one user; `undefined` for none. `lock` holds the row for the transaction. */
export async function findCredentials(
  sql: Sql | Transaction,
  of: { id: UserId } | { email: string },
  lock: 'lock' | 'read' = 'read',
): Promise<Credentials | undefined> {
  const condition: Fragment = 'id' in of ? sql`u.id = ${of.id}` : sql`u.email = ${of.email}`;
  const [row] = await sql<Row[]>`
    select ${userColumns(sql)}, u.password_hash, u.password_salt, u.password_parameters, u.totp_secret
    from users u where ${condition} ${lock === 'lock' ? sql`for update` : sql``}`;
  if (row === undefined) return undefined;
  const {
    password_hash: hash,
    password_salt: salt,
    password_parameters: parameters,
    totp_secret: totpSecret,
    ...user
  } = row;
  const isSet = hash !== null && salt !== null && parameters !== null;
  return { user, password: isSet ? { hash, salt, parameters } : undefined, totpSecret };
}

/** Stores a password. */
export async function storePassword(tx: Transaction, id: UserId, password: StoredPassword): Promise<void> {
  const { hash, salt, parameters } = password;
  await tx`
    update users set password_hash = ${hash}, password_salt = ${salt}, password_parameters = ${tx.json(parameters)}
    where id = ${id}`;
}
