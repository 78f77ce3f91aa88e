import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { askPostgres } from '../names/known-pages.js';
import type { Source } from '../names/names.js';
import type { Signal } from '../otlp/tree.js';
import { afterPoints, afterSpans, type Choice, type Interval } from './decide-signal.js';

/** Requests of HTTP and calls of procedures have metrics of their own. Messages have none that are read. */
export type Protocol = 'http' | 'rpc';

/** A service whose signal of a protocol was sent for an interval. */
export type Asked = Interval & { source: Source; protocol: Protocol };

export type ServiceSignals = ReturnType<typeof createServiceSignals>;

/**
 * Keeps which signal counts the requests of each service. PostgreSQL has the choice, and an instance knows the last one it
 * has seen: spans count ahead of it only until a time that the choice has promised, and metrics begin after that time,
 * so no two instances count a request by both signals, however old their knowledge is.
 */
export function createServiceSignals({ sql, clock }: { sql: Sql; clock: Clock }) {
  /** Goes with the names of the page, whose number is bounded. */
  const known = new WeakMap<Source, Partial<Record<Protocol, Choice>>>();
  /** Bodies of one service that arrive together ask once. */
  const running = new Map<string, Promise<void>>();

  function learn({ source, protocol }: Asked, choice: Choice): void {
    known.set(source, { ...known.get(source), [protocol]: choice });
  }

  async function renew(pageId: PageId, signal: Signal, asked: readonly Asked[]): Promise<void> {
    const choices = await askPostgres(
      inTransaction(sql, (tx) => decide(tx, { pageId, signal, now: clock.now() }, asked)),
    );
    for (const one of asked) learn(one, choices.get(nameOf(one)) ?? {});
  }

  return {
    /** Returns the choice as this instance knows it. */
    choiceOf: (source: Source, protocol: Protocol): Choice => known.get(source)?.[protocol] ?? {},

    /**
     * Decides with the signals of a body, which come from services that the page has. A body that arrives while another
     * one asks about a service waits for that answer, which may be for an earlier time.
     *
     * @throws ServiceError `storeUnavailable` when PostgreSQL does not answer.
     */
    async ask(pageId: PageId, signal: Signal, asked: readonly Asked[]): Promise<void> {
      const keyOf = (one: Asked): string => `${pageId} ${signal} ${nameOf(one)}`;
      const others = asked.map((one) => running.get(keyOf(one))).filter((work) => work !== undefined);
      const own = asked.filter((one) => !running.has(keyOf(one)));
      if (own.length > 0) {
        const work = renew(pageId, signal, own);
        for (const one of own) running.set(keyOf(one), work);
        try {
          await work;
        } finally {
          for (const one of own) running.delete(keyOf(one));
        }
      }
      await Promise.all(others);
    },
  };
}

const nameOf = ({ source, protocol }: Pick<Asked, 'source' | 'protocol'>): string =>
  `${protocol} ${source.text}`;

type Row = {
  service: string;
  protocol: Protocol;
  spansUntil: Date | null;
  metricsFrom: Date | null;
  metricsAt: Date | null;
};

/**
 * Locks the rows in one order, so that two instances do not deadlock, and also those that exist, so that the job does not
 * delete one meanwhile.
 */
async function decide(
  tx: Transaction,
  { pageId, signal, now }: { pageId: PageId; signal: Signal; now: number },
  asked: readonly Asked[],
): Promise<Map<string, Choice>> {
  const sorted = [...asked].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const services = sorted.map(({ source }) => source.text);
  const protocols = sorted.map(({ protocol }) => protocol);
  const rows = await tx<Row[]>`
    insert into service_signals (page_id, service, protocol)
    select ${pageId}, service, protocol
    from unnest(${services}::text[], ${protocols}::text[]) with ordinality as asked (service, protocol, place)
    order by place
    on conflict (page_id, service, protocol) do update set page_id = excluded.page_id
    returning service, protocol, spans_until as "spansUntil", metrics_from as "metricsFrom", metrics_at as "metricsAt"`;
  const before = new Map(rows.map((row) => [`${row.protocol} ${row.service}`, choiceOfRow(row)]));
  const choices = sorted.map((one): Choice => {
    const choice = before.get(nameOf(one)) ?? {};
    return signal === 'traces' ? afterSpans(choice, one, now) : afterPoints(choice, one);
  });
  const times = (of: keyof Choice): (string | null)[] => choices.map((choice) => timeOf(choice[of]));
  await tx`
    update service_signals as held
    set spans_until = now.spans_until, metrics_from = now.metrics_from, metrics_at = now.metrics_at
    from unnest(${services}::text[], ${protocols}::text[], ${times('spansUntil')}::timestamptz[],
      ${times('metricsFrom')}::timestamptz[], ${times('metricsAt')}::timestamptz[])
      as now (service, protocol, spans_until, metrics_from, metrics_at)
    where held.page_id = ${pageId} and held.service = now.service and held.protocol = now.protocol`;
  return new Map(sorted.map((one, i) => [nameOf(one), choices[i] ?? {}]));
}

function choiceOfRow({ spansUntil, metricsFrom, metricsAt }: Row): Choice {
  return {
    spansUntil: spansUntil?.getTime(),
    metricsFrom: metricsFrom?.getTime(),
    metricsAt: metricsAt?.getTime(),
  };
}

const timeOf = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString();

/** A choice is kept for this long after the last signal. It depends on the last few minutes alone, so a day is ample. */
const keptMs = dayMs;

/** Deletes the choices of services that have sent nothing for a day. */
export async function pruneServiceSignals({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - keptMs);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from service_signals
          where ctid = any(array(
            select ctid from service_signals
            where greatest(spans_until, metrics_at) < ${before}
            limit ${rows} for update skip locked))`
      ).count,
  );
}
