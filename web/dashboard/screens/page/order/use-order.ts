import { useRef, useState } from 'preact/hooks';
import type { MonitorOrder } from '../../../../../contract/manage/monitor-groups.js';
import { pagePath } from '../../../reads/api-path.js';
import { fetchJson, ReadError, sendForTag } from '../../../reads/fetch-json.js';
import { readIfStale } from '../../../reads/refusals.js';
import { type Read, useRead } from '../../../reads/use-read.js';
import { type Items, rebase } from './moves.js';

export type OrderEditing = {
  read: Read<MonitorOrder>;
  /** The drawn order, with own changes that the service does not have yet. */
  items: Items | undefined;
  /** `onSaved` gets the tag of the saved order; nothing calls it where a later change came before this one was sent. */
  change(items: Items, onSaved?: (etag: string | undefined) => void): void;
  /** Saves an order over the one with this tag, whether or not the order is on the screen. @throws ReadError as sendJson() */
  putBack(items: Items, etag: string | undefined): Promise<void>;
  /** The own order, after somebody else came first; what is drawn is theirs. */
  lost: Items | undefined;
  /** Puts the own order over theirs. */
  takeOwn(): void;
  takeTheirs(): void;
  /** Why the newest change was not made; it is taken back. */
  error: ReadError | undefined;
};

type Move = { items: Items; onSaved?: ((etag: string | undefined) => void) | undefined };

/**
 * Shows an order while people move things, and saves it: one request at a time, each with the newest order. What waits
 * is sent as well when the person has gone to another part of the screen.
 */
export function useOrder(slug: string): OrderEditing {
  const path = pagePath(slug, '/monitor-order');
  const read = useRead<MonitorOrder>(path);
  const [wanted, setWanted] = useState<Items>();
  const [lost, setLost] = useState<Items>();
  const [error, setError] = useState<ReadError>();
  const isSending = useRef(false);
  const waiting = useRef<Move | undefined>(undefined);
  const tag = useRef(read.etag);
  if (!isSending.current) tag.current = read.etag;

  async function put(items: Items, ifMatch: string | undefined): Promise<string | undefined> {
    const answer = await sendForTag<MonitorOrder>('PUT', path, { items }, { ifMatch });
    read.take(answer);
    return answer.etag;
  }

  async function send({ items, onSaved }: Move): Promise<void> {
    try {
      tag.current = await put(items, tag.current);
      // Another move may have come meanwhile.
      setWanted((now) => (now === items ? undefined : now));
      onSaved?.(tag.current);
    } catch (reason) {
      const own = waiting.current?.items ?? items;
      waiting.current = undefined;
      setWanted(undefined);
      await explain(reason, own);
    }
  }

  async function explain(reason: unknown, own: Items): Promise<void> {
    const failure = reason instanceof ReadError ? reason : new ReadError(0, String(reason));
    // 400: a group or a monitor has come or gone meanwhile.
    if (failure.status !== 412 && failure.status !== 400) return setError(failure);
    const current = await fetchJson<MonitorOrder>(path).catch(() => undefined);
    if (current === undefined || current === 'unchanged') return setError(failure);
    read.take(current);
    tag.current = current.etag;
    // A move that came meanwhile was made on what nobody has any more.
    setLost(waiting.current?.items ?? own);
    waiting.current = undefined;
    setWanted(undefined);
  }

  async function sendWaiting(): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    for (let move = waiting.current; move !== undefined; move = waiting.current) {
      waiting.current = undefined;
      await send(move);
    }
    isSending.current = false;
  }

  const change = (items: Items, onSaved?: Move['onSaved']): void => {
    setError(undefined);
    setLost(undefined);
    setWanted(items);
    waiting.current = { items, onSaved };
    void sendWaiting();
  };
  return {
    ...{ read, lost, error, change },
    items: wanted ?? read.data?.items,
    async putBack(items, etag) {
      await put(items, etag).catch(readIfStale(read));
    },
    takeOwn() {
      if (lost !== undefined && read.data !== undefined) change(rebase(lost, read.data.items));
      else setLost(undefined);
    },
    takeTheirs: () => setLost(undefined),
  };
}
