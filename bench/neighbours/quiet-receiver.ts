import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Deferred, deferred } from '../../lib/deferred.js';

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** A delivery that has not come by then counts as lost. */
const arrivalMsMax = 120_000;

/** Receives what the service delivers to the quiet page. */
export async function startQuietReceiver(port: number) {
  const arrivals = new Map<string, Deferred<number>>();
  const arrivalOf = (key: string): Deferred<number> => {
    const found = arrivals.get(key) ?? deferred<number>();
    arrivals.set(key, found);
    return found;
  };
  const receiver = createServer(async (req, res) => {
    const at = performance.now();
    const body = await text(req);
    res.end();
    for (const [id] of body.matchAll(ids)) arrivalOf(id).resolve(at);
  });
  await once(receiver.listen(port, '127.0.0.1'), 'listening');
  return {
    /** When the first body with this id arrived, on the clock of `performance.now()`; `undefined` when none came in time. */
    async arrivedAt(id: string): Promise<number | undefined> {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), arrivalMsMax);
      });
      const at = await Promise.race([arrivalOf(id).promise, late]);
      clearTimeout(timer);
      return at;
    },
  };
}
