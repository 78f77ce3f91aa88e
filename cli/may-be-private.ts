import { decidePrivateAddresses, loadPrivateAddressChoice } from '../control/private-addresses/index.js';
import type { Config } from '../service/config.js';
import type { Sql } from '../sql/open-postgres.js';

/** Whether the service on these stores, started with this configuration, lets URLs of pages lead to private networks. */
export async function mayPagesBePrivate(
  { allowPrivateAddresses: fixed, baseUrl }: Config,
  sql: Sql,
): Promise<boolean> {
  const rule = { fixed, usual: baseUrl === undefined };
  return decidePrivateAddresses(rule, await loadPrivateAddressChoice({ sql })).allowed;
}
