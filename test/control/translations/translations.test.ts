import t, { type Test } from 'tap';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  loadLedger,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { startTranslationLoop } from '../../../control/translations/index.js';
import { translateTexts } from '../../../control/translations/loop.js';
import { splitText } from '../../../control/translations/split-text.js';
import { createLibreTranslator } from '../../../control/translations/translator.js';
import { type IncidentId, newId, type PageId, parseId } from '../../../lib/ids.js';
import type { Log } from '../../../lib/log.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { type Answering, startTranslator } from '../../support/translator.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql } = await openTestPostgres(t);
let pages = 0;

/** Makes a page in these languages, the first of which is its default, with its own translator. */
async function setUp(
  t: Test,
  languages: string[],
  { query = '', log = silentLog as Log, requestTimeoutMs = 20_000 } = {},
) {
  const clock = makeStoppedClock();
  const page = await makePage(sql, {
    slug: `page-${++pages}`,
    languages,
    defaultLanguage: languages[0] ?? 'en',
  });
  const server = await startTranslator(t);
  const translator = createLibreTranslator(`${server.url}/${query}`, { requestTimeoutMs });
  const deps = { sql, clock, log, translator };
  t.teardown(() => sql`update translations set next_attempt_at = 'infinity' where page_id = ${page.id}`);
  return {
    ...{ clock, server, pageId: page.id },
    open: (fields: object = {}, pageId: PageId = page.id) =>
      open({ sql, clock, by: testActor }, pageId, fields),
    change: (incidentId: IncidentId, fields: object) =>
      changeIncident(
        { sql, clock, by: testActor },
        { pageId: page.id, incidentId, change: parseIncidentChange(fields) },
      ),
    /** Translates until nothing is due. */
    async translate() {
      while (await translateTexts(deps, new AbortController().signal));
    },
    ledger: (pageId: PageId = page.id) => loadLedger({ sql, clock }, pageId),
    waiting: async () => [
      ...(await sql<{ language: string; attempts: number; reason: string | null }[]>`
        select language, attempts, reason
        from translations t join translation_sources s on (s.page_id, s.hash) = (t.page_id, t.source_hash)
        where t.page_id = ${page.id} and t.text is null order by language, s.text`),
    ],
  };
}

async function open(
  deps: Parameters<typeof createIncident>[0],
  pageId: PageId,
  fields: object,
): Promise<IncidentId> {
  const incident = await createIncident(deps, { pageId, input: parseNewIncident({ ...outage, ...fields }) });
  return parseId<IncidentId>(incident.id) ?? newId<IncidentId>(0);
}

const failing =
  (status: number, headers: Record<string, string> = {}): Answering =>
  () => ({ status, headers, body: { error: 'Slow down.' } });

t.test('the texts of an incident appear in every language of the page', async (t) => {
  const { open, translate, ledger, server, clock, pageId } = await setUp(t, ['en', 'de', 'pt-BR', 'zh-TW']);
  const id = await open();
  const input = parseNewUpdate({ body: 'A full disk.', notify: false });
  await appendUpdate({ sql, clock, by: testActor }, { pageId, incidentId: id, input });
  t.match(
    await ledger(),
    [{ title: { en: outage.title, de: undefined } }],
    'before the translation, in the default language',
  );
  await translate();
  const { title, summary } = outage;
  t.match(await ledger(), [
    {
      title: { en: title, de: `[de] ${title}`, 'pt-BR': `[pt-BR] ${title}`, 'zh-TW': `[zh-Hant] ${title}` },
      summary: { en: summary, de: `[de] ${summary}` },
      updates: [{ body: { en: 'A full disk.', de: '[de] A full disk.' } }],
    },
  ]);
  t.equal(server.requests.length, 3, 'one request for each language');
  t.match(server.requests[0], { path: '/translate', source: 'en', format: 'text', api_key: undefined });
  t.strictSame(server.requests[0]?.q.toSorted(), ['A full disk.', summary, title]);
});

t.test('a translated text is not requested again', async (t) => {
  const { open, change, translate, ledger, server } = await setUp(t, ['en', 'de']);
  const id = await open();
  await translate();
  await change(id, { title: 'Disk full' });
  await translate();
  await change(id, { title: outage.title });
  await open();
  await translate();
  t.strictSame(
    server.requests.map(({ q }) => q.length),
    [2, 1],
  );
  for (const entry of await ledger()) t.equal(entry.title['de'], `[de] ${outage.title}`);
});

t.test('another page has its own translation of the same text', async (t) => {
  const { open, translate, ledger, server } = await setUp(t, ['en', 'de']);
  const other = await setUp(t, ['en', 'de']);
  await open();
  await translate();
  await open({}, other.pageId);
  t.strictSame((await ledger(other.pageId))[0]?.title, { en: outage.title });
  await translate();
  t.equal(server.requests.length, 2);
  t.equal((await ledger(other.pageId))[0]?.title['de'], `[de] ${outage.title}`);
});

t.test('a late translation of a text that was edited since is not shown', async (t) => {
  const { open, change, translate, ledger, server } = await setUp(t, ['en', 'de']);
  const id = await open();
  server.answer(async ({ q }) => {
    if (q.includes(outage.title)) await change(id, { title: 'Disk full' });
    return undefined;
  });
  await translate();
  t.match(await ledger(), [
    { title: { en: 'Disk full', de: '[de] Disk full' }, summary: { de: `[de] ${outage.summary}` } },
  ]);
  t.strictSame(
    server.requests.map(({ q }) => q.length),
    [2, 1],
  );
});

t.test('a failed text is retried, in the end once a day, and never given up', async (t) => {
  const { open, translate, ledger, server, clock, waiting } = await setUp(t, ['en', 'de']);
  await open();
  server.answer(failing(500));
  await translate();
  t.strictSame(await waiting(), [
    { language: 'de', attempts: 1, reason: 'Status 500: Slow down.' },
    { language: 'de', attempts: 1, reason: 'Status 500: Slow down.' },
  ]);
  await translate();
  t.equal(server.requests.length, 1, 'not at once');
  clock.advance(7_000);
  await translate();
  t.strictSame(
    server.requests.map(({ q }) => q.length),
    [2, 1, 1],
    'then each text alone',
  );
  for (let days = 0; days < 12; days += 1) {
    clock.advance(dayMs);
    await translate();
  }
  t.equal(server.requests.length, 3 + 2 * 12, 'after any number of failures');
  server.answer(() => undefined);
  clock.advance(dayMs);
  await translate();
  t.strictSame(await waiting(), []);
  t.match(await ledger(), [{ title: { de: `[de] ${outage.title}` } }]);
});

t.test('requests go out as those to any address, and never to the metadata service of a cloud', async (t) => {
  const translator = createLibreTranslator('http://169.254.169.254/', { requestTimeoutMs: 60_000 });
  await t.rejects(translator.translate(['one'], 'en', 'de', new AbortController().signal), {
    ...{ name: 'TranslationError', kind: 'unavailable' },
    message: /metadata service of a cloud/,
  });
});

t.test('no answer, or an answer that is not one translation per text, is a failure', async (t) => {
  const answers: [RegExp, Answering, { requestTimeoutMs?: number }?][] = [
    [/^No answer within 500 ms/, () => new Promise(() => {}), { requestTimeoutMs: 500 }],
    [/^Status 302/, () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } })],
    ...(
      [
        'not JSON',
        {},
        { translatedText: 'one' },
        { translatedText: [] },
        { translatedText: ['one'] },
        { translatedText: ['one', 2] },
        { translatedText: ['one', ' '] },
        { translatedText: ['one', 'two', 'three'] },
      ] as const
    ).map((body): [RegExp, Answering] => [/^The answer is not one/, () => ({ status: 200, body })]),
    [/^The answer holds no text/, () => ({ status: 200, body: { translatedText: ['one', '\u0001'] } })],
    [/^The answer is too long/, () => ({ status: 200, body: 'x'.repeat(2_000_000) })],
  ];
  for (const [reason, answering, options] of answers) {
    const { open, translate, ledger, server, waiting } = await setUp(t, ['en', 'de'], options);
    await open();
    server.answer(answering);
    await translate();
    t.match(
      await waiting(),
      [
        { attempts: 1, reason },
        { attempts: 1, reason },
      ],
      String(reason),
    );
    t.match(await ledger(), [{ title: { de: undefined }, summary: { de: undefined } }]);
  }
});

t.test('a server that asks to wait gets no request for that long', async (t) => {
  const { open, translate, server, clock, waiting } = await setUp(t, ['en', 'de']);
  await open();
  server.answer(failing(429, { 'retry-after': '900' }));
  await translate();
  clock.advance(890_000);
  await translate();
  t.equal(server.requests.length, 1);
  server.answer(() => undefined);
  clock.advance(20_000);
  await translate();
  t.strictSame(await waiting(), []);
});

t.test(
  'a language that fails holds up no other, and an outage costs one request for each language',
  async (t) => {
    const { open, translate, server, waiting } = await setUp(t, ['en', 'de', 'fr', 'xx']);
    for (let i = 0; i < 30; i += 1) await open({ title: `${i}`, summary: `${'x'.repeat(1_500)} ${i}` });
    server.answer(({ target }) => (target === 'xx' ? { status: 503, body: {} } : undefined));
    await translate();
    const left = await waiting();
    t.equal(left.length, 60);
    t.ok(left.every(({ language, attempts }) => language === 'xx' && attempts === 1));
    const failed = server.requests.filter(({ target }) => target === 'xx');
    t.ok(failed.length <= 6, `${failed.length} requests for what 30 would have asked`);
  },
);

t.test('pages with many texts take turns with others', async (t) => {
  const { open, translate, server } = await setUp(t, ['en', 'de']);
  for (let i = 0; i < 60; i += 1) await open({ title: `First page ${i}` });
  const other = await setUp(t, ['en', 'de']);
  await open({ title: 'Second page' }, other.pageId);
  await translate();
  const at = server.requests.findIndex(({ q }) => q.includes('Second page'));
  t.ok(at >= 0 && at < 3, `request ${at} of ${server.requests.length}`);
});

t.test('requests are bounded, and a long text is split at its lines', async (t) => {
  const { open, translate, ledger, server, waiting } = await setUp(t, ['en', 'de']);
  const line = 'It is being looked at. '.repeat(40).trim();
  const summary = Array.from({ length: 20 }, (_, i) => `${line} ${i}`).join('\n\n');
  await open({ summary });
  for (let i = 0; i < 30; i += 1) await open({ title: `Short ${i}`, summary: `Text ${i}` });
  server.answer(({ q, target }) => {
    if (q.length > 25 || q.join('').length > 2_000) return { status: 400, body: {} };
    const translatedText = q.map((text) => text.replaceAll('looked', target));
    return { status: 200, body: { translatedText } };
  });
  await translate();
  t.strictSame(await waiting(), []);
  const entry = (await ledger()).find(({ summary }) => summary['en']?.startsWith('It is'));
  t.equal(entry?.summary['de'], summary.replaceAll('looked', 'de'), 'blank lines are kept');
});

t.test('blocks of code are not translated', async (t) => {
  const { open, translate, ledger, server } = await setUp(t, ['en', 'de']);
  const code = '```sh\necho one\n\n~~~\n```';
  const summary = `Run this:\n\n${code}\nand one \`x\`.\n~~~\none, to the end`;
  await open({ summary });
  const sent: string[] = [];
  server.answer(({ q }) => {
    sent.push(...q);
    return { status: 200, body: { translatedText: q.map((text) => text.replace('one', 'eins')) } };
  });
  await translate();
  t.match(await ledger(), [{ summary: { de: summary.replace('and one', 'and eins') } }]);
  t.notMatch(sent.join(), 'echo');
  t.strictSame(
    splitText(summary)
      .map(({ before, text, after }) => before + text + after)
      .join(''),
    summary,
  );
});

t.test('a title stays one line without control characters', async (t) => {
  const { open, translate, ledger, server } = await setUp(t, ['en', 'de']);
  await open({ summary: 'One.\nTwo.' });
  server.answer(({ q }) => ({
    status: 200,
    body: { translatedText: q.map(() => 'Eins.\r\nZwei.\u0000\ud800 ') },
  }));
  await translate();
  t.match(await ledger(), [{ title: { de: 'Eins. Zwei. \ufffd' }, summary: { de: 'Eins. \nZwei. \ufffd' } }]);
});

t.test(
  'languages that a page adds are translated; those that it drops are neither shown nor requested',
  async (t) => {
    const { open, change, translate, ledger, server, pageId, waiting } = await setUp(t, ['en', 'de']);
    const id = await open();
    await translate();
    await sql`update pages set languages = '{en,de,fr}' where id = ${pageId}`;
    await change(id, { summary: 'Fixed.' });
    await translate();
    t.match(await ledger(), [{ title: { fr: `[fr] ${outage.title}` }, summary: { fr: '[fr] Fixed.' } }]);

    await change(id, { summary: 'Broken again.' });
    await sql`update pages set languages = '{en,fr}' where id = ${pageId}`;
    const before = server.requests.length;
    await translate();
    t.strictSame(
      server.requests.slice(before).map(({ target }) => target),
      ['fr'],
    );
    t.match(await waiting(), [{ language: 'de', attempts: 0 }]);
    t.strictSame(Object.keys((await ledger())[0]?.title ?? {}).toSorted(), ['en', 'fr']);
  },
);

t.test('languages that the server does not distinguish share the text', async (t) => {
  const { open, translate, ledger, server } = await setUp(t, ['en', 'en-GB']);
  await open();
  await translate();
  t.match(await ledger(), [{ title: { 'en-GB': outage.title } }]);
  t.equal(server.requests.length, 0);
});

t.test('the API key goes to the server, but not into the log or a reason', async (t) => {
  const log = captureLog();
  const secret = 'k-5d0f7c';
  const options = { query: `lt/?api_key=${secret}`, log: log.log };
  const { open, translate, server, waiting } = await setUp(t, ['en', 'de'], options);
  await open();
  server.answer(() => ({ status: 403, body: { error: `Invalid API key ${secret}` } }));
  await translate();
  t.match(server.requests, [{ path: '/lt/translate', api_key: secret }]);
  t.match(await waiting(), [{ reason: 'Status 403: Invalid API key …' }, {}]);
  t.match(log.text(), /Invalid API key/);
  t.notMatch(log.text(), secret);
});

t.test(
  'the loop translates, does nothing without an address, and releases its claims when it stops',
  async (t) => {
    const { open, ledger, server, clock, waiting, pageId } = await setUp(t, ['en', 'de']);
    await open();
    await startTranslationLoop({ sql, clock, log: silentLog, translateUrl: undefined }).stop();
    t.equal((await waiting()).length, 2);

    server.answer(() => new Promise(() => {}));
    const stopped = startTranslationLoop({ sql, clock, log: silentLog, translateUrl: server.url });
    await waitUntil('a request is in flight', () => server.requests.length === 1);
    await stopped.stop();
    const held = await sql`
    select count(*)::int as rows, count(claimed_until)::int as claimed, sum(attempts)::int as attempts
    from translations where page_id = ${pageId}`;
    t.strictSame([...held], [{ rows: 2, claimed: 0, attempts: 0 }]);

    server.answer(() => undefined);
    const loops = [1, 2].map(() =>
      startTranslationLoop({ sql, clock, log: silentLog, translateUrl: server.url }),
    );
    await waitUntil('the texts are translated', async () => (await waiting()).length === 0);
    await Promise.all(loops.map((loop) => loop.stop()));
    t.match(await ledger(), [{ title: { de: `[de] ${outage.title}` } }]);
    const asked = server.requests.slice(1).flatMap(({ q }) => q);
    t.strictSame(
      asked.toSorted(),
      [outage.summary, outage.title].toSorted(),
      'one of two loops requested each text',
    );
  },
);

t.test('the claims of an instance that died are free when their lease ends', async (t) => {
  const { open, translate, server, clock, pageId, waiting } = await setUp(t, ['en', 'de']);
  await open();
  await sql`
    update translations set claimed_until = ${new Date(clock.now() + minuteMs)} where page_id = ${pageId}`;
  await translate();
  t.equal(server.requests.length, 0);
  clock.advance(minuteMs);
  await translate();
  t.strictSame(await waiting(), []);
});
