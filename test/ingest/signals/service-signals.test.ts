import t from 'tap';
import { makeSource } from '../../../ingest/names/names.js';
import {
  type Asked,
  createServiceSignals,
  pruneServiceSignals,
} from '../../../ingest/signals/service-signals.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/times.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);

/** An instance, and how it names the services of a page. */
function start(clock = makeStoppedClock(), pageId = newId<PageId>(clock.now())) {
  const signals = createServiceSignals({ sql, clock });
  const sources = new Map<string, Asked['source']>();
  const sourceOf = (service: string): Asked['source'] => {
    const source = sources.get(service) ?? makeSource(pageId, 'service', service);
    sources.set(service, source);
    return source;
  };
  return {
    ...{ clock, pageId },
    ask: (signal: 'traces' | 'metrics', services: readonly string[], more: Partial<Asked> = {}) => {
      const to = clock.now();
      const usual = { protocol: 'http', from: to - minuteMs, to } as const;
      const asked = services.map((service) => ({ ...usual, source: sourceOf(service), ...more }));
      return signals.ask(pageId, signal, asked);
    },
    choiceOf: (service: string, protocol: Asked['protocol'] = 'http') =>
      signals.choiceOf(sourceOf(service), protocol),
  };
}

const rowsOf = (pageId: PageId) =>
  sql<{ service: string; protocol: string }[]>`
    select service, protocol from service_signals where page_id = ${pageId} order by service, protocol`;

t.test('instances have the same choice, each service and protocol and page its own', async (t) => {
  const first = start();
  const second = start(first.clock, first.pageId);
  const other = start(first.clock);
  const now = first.clock.now();
  await first.ask('traces', ['shop']);
  await second.ask('metrics', ['shop', 'metrics']);
  await second.ask('metrics', ['shop'], { protocol: 'rpc' });
  await other.ask('metrics', ['shop']);
  t.strictSame(first.choiceOf('shop'), { ...first.choiceOf('shop'), spansUntil: now + 30 * secondMs });
  t.match(second.choiceOf('shop'), {
    spansUntil: now + 30 * secondMs,
    metricsFrom: now + minuteMs,
    metricsAt: now,
  });
  t.equal(second.choiceOf('metrics').metricsFrom, 0);
  t.equal(second.choiceOf('shop', 'rpc').metricsFrom, 0);
  t.equal(other.choiceOf('shop').metricsFrom, 0);
  first.clock.advance(minuteMs);
  await first.ask('traces', ['shop']);
  t.strictSame(first.choiceOf('shop'), second.choiceOf('shop'));
  t.strictSame(
    (await rowsOf(first.pageId)).map(({ service, protocol }) => `${service} ${protocol}`),
    ['metrics http', 'shop http', 'shop rpc'],
  );
});

t.test('bodies that arrive together at many instances decide in turn and do not deadlock', async (t) => {
  const clock = makeStoppedClock();
  const first = start(clock);
  const instances = [first, ...Array.from({ length: 5 }, () => start(clock, first.pageId))];
  const services = Array.from({ length: 20 }, (_, i) => `service-${i}`);
  await Promise.all(
    instances.flatMap((instance, i) =>
      (['traces', 'metrics'] as const).map((signal) =>
        instance.ask(signal, i % 2 === 0 ? services : [...services].reverse()),
      ),
    ),
  );
  // Asking again changes nothing, and every instance has the same choice.
  for (const instance of instances) await instance.ask('traces', services);
  for (const service of services)
    for (const instance of instances) t.strictSame(instance.choiceOf(service), first.choiceOf(service));
});

t.test('a name with quotes and commas is one service', async (t) => {
  const one = start();
  const names = ['a,b', '"a"', 'a\\b', '{a}', "'; drop table service_signals; --"];
  await one.ask('metrics', names);
  t.strictSame((await rowsOf(one.pageId)).map(({ service }) => service).sort(), [...names].sort());
});

t.test('the job forgets services that have sent neither signal for a day, and no others', async (t) => {
  const one = start();
  await one.ask('traces', ['spans', 'both']);
  await one.ask('metrics', ['metrics']);
  one.clock.advance(dayMs);
  await one.ask('metrics', ['both', 'new']);
  await pruneServiceSignals({ sql, clock: one.clock });
  // Spans have been promised 30 seconds more.
  t.strictSame(
    (await rowsOf(one.pageId)).map(({ service }) => service),
    ['both', 'metrics', 'new', 'spans'],
  );
  one.clock.advance(minuteMs);
  await pruneServiceSignals({ sql, clock: one.clock });
  t.strictSame(
    (await rowsOf(one.pageId)).map(({ service }) => service),
    ['both', 'new'],
  );
  await one.ask('traces', ['spans']);
  t.match(one.choiceOf('spans'), { metricsFrom: undefined });
});
