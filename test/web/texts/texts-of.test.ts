import t from 'tap';
import { type Areas, languagesOf } from '../../../web/texts/areas.js';
import type { Value } from '../../../web/texts/make-texts.js';
import { textsOf } from '../../../web/texts/texts-of.js';

/** Words that are the same in English and in another language, and signs without words. */
const borrowed = new Set([
  ...['Code', 'Email', 'E-mail', 'Responder', 'Editor', 'Dashboard', 'Feeds', 'Incident', 'Maintenance'],
  ...['Webhook', 'Message', 'Channel', 'Note', '7 – 7', 'Service', 'Services', 'Endpoint', '7 points'],
]);

const everyValue = new Proxy<Record<string, Value>>({}, { get: () => 7 });

/** Returns every text by its path. Messages have the number 7 in every placeholder. */
function listTexts(texts: object, path: string): [string, string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'string') return [[`${path}.${key}`, value]];
    if (typeof value === 'function') return [[`${path}.${key}`, value(everyValue)]];
    return listTexts(value, `${path}.${key}`);
  });
}

t.test('every text is translated', async (t) => {
  const areas = Object.keys(languagesOf) as (keyof Areas)[]; // The object is written out there.
  const untranslated = areas.flatMap((area) => {
    const english = new Map(listTexts(textsOf(area, 'en'), area));
    return languagesOf[area]
      .filter((language) => language !== 'en')
      .flatMap((language) =>
        listTexts(textsOf(area, language), area)
          .filter(([path, text]) => text === english.get(path) && !borrowed.has(text))
          .map(([path, text]) => `${language} ${path}: ${text}`),
      );
  });
  t.strictSame(untranslated, []);
});

t.test('a tag has the texts of its language, of its base, or English ones', async (t) => {
  for (const [area, tag, language] of [
    ['view', 'ja', 'ja'],
    ['view', 'de-AT', 'de'],
    ['view', 'pt-BR', 'en'],
    ['subscription', 'pt-BR', 'pt'],
    ['incident-mail', 'ko', 'en'],
  ] as const) {
    t.equal(textsOf(area, tag).language, language, `${area} in ${tag}`);
  }
  t.equal(textsOf('view', 'de'), textsOf('view', 'de-AT'), 'made once');
});

t.test('a number chooses the form of a text', async (t) => {
  const { some } = textsOf('view', 'de').overall.down;
  t.equal(some({ count: 1, total: 8 }), '1 von 8 Diensten ist ausgefallen');
  t.equal(some({ count: 2, total: 8 }), '2 von 8 Diensten sind ausgefallen');
  t.equal(
    textsOf('account', 'en').errors.tooMany({ minutes: 1 }),
    'Too many failed tries. Try again in 1 minute.',
  );
});
