import fc from 'fast-check';
import t from 'tap';
import {
  loadTranslated,
  loadTranslations,
  requestTranslations,
  writeTranslations,
} from '../../../control/translations/index.js';
import { claimTranslations, recordFailed, recordTranslated } from '../../../control/translations/queue.js';
import { TranslationError } from '../../../control/translations/translator.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock };
let pages = 0;

const texts = ['First text.', 'Second text.'];
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('request', 'claim', 'answer', 'fail'), text: fc.nat(1) }),
  fc.record({
    do: fc.constant('write'),
    text: fc.nat(1),
    as: fc.constantFrom('Ein Text.', 'Noch ein Text.'),
  }),
);

t.test('a translation by a person stays until a person writes another one', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const page = await makePage(sql, { slug: `page-${++pages}`, languages: ['en', 'de'] });
      const pageId = page.id;
      const written = new Map<string, string>();
      let claimed: Awaited<ReturnType<typeof claimTranslations>> = [];
      for (const step of steps) {
        const text = texts[step.text] ?? '';
        const now = clock.now();
        if (step.do === 'request') {
          await inTransaction(sql, (tx) => requestTranslations(tx, { pageId, texts: [text], now }));
        } else if (step.do === 'write' && 'as' in step) {
          const input = { pageId, language: 'de', written: [{ source: text, text: step.as }], now };
          await inTransaction(sql, (tx) => writeTranslations(tx, input));
          written.set(text, step.as);
        } else if (step.do === 'claim') {
          claimed = (await claimTranslations(deps, { limit: 50, leaseMs: 1_000 })).filter(
            (one) => one.pageId === pageId,
          );
        } else if (step.do === 'answer') {
          await recordTranslated(
            deps,
            claimed,
            claimed.map(({ sourceText }) => `[de] ${sourceText}`),
          );
        } else {
          await recordFailed(deps, claimed, new TranslationError('refused', 'No.'));
        }
      }
      const found = await loadTranslated(sql, pageId, texts, ['de']);
      for (const text of texts) {
        const translated = found.get(text)?.['de'];
        const byPerson = written.get(text);
        if (byPerson !== undefined) t.same(translated, { text: byPerson, byPerson: true });
        else if (translated !== undefined) t.same(translated, { text: `[de] ${text}`, byPerson: false });
      }
      const shown = await loadTranslations(sql, pageId, texts);
      for (const [text, as] of written) t.equal(shown.get(text)?.['de'], as);
      await sql`update translations set next_attempt_at = 'infinity' where page_id = ${pageId}`;
    }),
    propertyOf(t, { few: 25, many: 200 }),
  );
});

t.test('what a person writes says what was there before, and needs no request', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'before', languages: ['en', 'de'] });
  const write = (text: string) => {
    const input = { pageId, language: 'de', written: [{ source: 'Text.', text }], now: clock.now() };
    return inTransaction(sql, (tx) => writeTranslations(tx, input));
  };
  t.same([...(await write('Eins'))], []);
  t.same([...(await write('Zwei'))], [['Text.', { text: 'Eins', byPerson: true }]]);
});

t.test('a person and the machine write the same texts at once, and the person wins', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'at-once', languages: ['en', 'de'] });
  for (let round = 0; round < 10; round += 1) {
    const sources = Array.from({ length: 20 }, (_, i) => `Text ${i} of round ${round}.`);
    const now = clock.now();
    await inTransaction(sql, (tx) => requestTranslations(tx, { pageId, texts: sources, now }));
    const claimed = await claimTranslations(deps, { limit: 50, leaseMs: 1_000 });
    const input = { pageId, language: 'de', now };
    const written = sources.toReversed().map((source) => ({ source, text: 'Von Hand' }));
    await Promise.all([
      recordTranslated(
        deps,
        claimed,
        claimed.map(() => 'Von der Maschine'),
      ),
      inTransaction(sql, (tx) => writeTranslations(tx, { ...input, written })),
    ]);
    const shown = await loadTranslations(sql, pageId, sources);
    t.equal(shown.size, 20);
    for (const texts of shown.values()) t.equal(texts['de'], 'Von Hand');
  }
});
