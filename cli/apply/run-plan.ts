import { ServiceError } from '../../lib/service-error.js';
import type { Plan } from './change.js';

/** The address of a new heartbeat, which nothing else shows. */
export type MadeAddress = { monitor: string; url: string };

/** The signing secret of a new webhook, which nothing else shows. */
export type MadeSecret = { webhook: string; secret: string };

/**
 * Makes the changes of a plan one after the other. When one fails, those before it stay: the next run makes the rest.
 * `sends` come before the deletes at the end.
 *
 * @throws ServiceError with the place in the file before the sentence.
 */
export async function runPlan({ changes, sends }: Pick<Plan, 'changes' | 'sends'>): Promise<{
  addresses: MadeAddress[];
  secrets: MadeSecret[];
}> {
  const addresses: MadeAddress[] = [];
  const secrets: MadeSecret[] = [];
  const lastMake = changes.findLastIndex(({ verb }) => verb !== 'delete');
  for (const change of [...changes.slice(0, lastMake + 1), ...sends, ...changes.slice(lastMake + 1)]) {
    const { address, secret } = await change.make().catch((error: unknown) => {
      throw located(error, change);
    });
    if (address !== undefined) addresses.push({ monitor: change.name, url: address });
    if (secret !== undefined) secrets.push({ webhook: change.name, secret });
  }
  return { addresses, secrets };
}

function located(error: unknown, { noun, name, place }: Plan['sends'][number]): unknown {
  if (!(error instanceof ServiceError)) return error;
  const where = place === undefined ? '' : `${place}: `;
  const { kind, hint, cause } = error;
  return new ServiceError(kind, { message: `${where}${noun} ${name}: ${error.message}`, hint, cause });
}
