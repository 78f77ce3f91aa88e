import t from 'tap';
import { negotiateLanguage } from '../../../api/public/negotiation.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { leastCpuMsOf } from '../../support/cpu-time.js';

const tagsOf = (languages: string[]) => new Map(languages.map((tag) => [tag.toLowerCase(), tag]));

t.test('the language of the page with the highest weight in the header', async (t) => {
  const page = { languages: tagsOf(['en', 'de', 'pt-BR', 'zh-Hant']), defaultLanguage: 'en' };
  const cases: [header: string | undefined, language: string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de'],
    ['fr, de;q=0.5, en;q=0.9', 'en'],
    ['fr;q=1, de ; q=0.5 ,en;q=0.4', 'de'],
    ['de;q=0.5, pt-BR;q=0.5', 'de'],
    ['pt', 'pt-BR'],
    ['pt-PT, de;q=0.9', 'pt-BR'],
    ['pt-br-x-mine', 'pt-BR'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['p', 'en'],
    ['ja, fr', 'en'],
    ['*', 'en'],
    ['ja, *;q=0.1', 'en'],
    ['de;q=0, *', 'en'],
    ['de;q=0', 'en'],
    ['de;q=2', 'en'],
    ['de;q=abc', 'en'],
    ['-', 'en'],
    ['--de', 'en'],
    [',,;q=1,de', 'de'],
    ['__proto__, constructor', 'en'],
  ];
  for (const [header, language] of cases) t.equal(negotiateLanguage(header, page), language, String(header));
});

t.test('a page with one language uses that', async (t) => {
  t.equal(negotiateLanguage('de', { languages: tagsOf(['fr']), defaultLanguage: 'fr' }), 'fr');
});

t.test('a header of any length is parsed quickly', async (t) => {
  const page = { languages: tagsOf(['en', 'de']), defaultLanguage: 'en' };
  const headers = ['a-'.repeat(8_000), 'a,'.repeat(8_000), ';'.repeat(16_000), ' '.repeat(16_000)];
  const found = new Set<string>();
  const took = leastCpuMsOf(() => {
    for (const header of headers) found.add(negotiateLanguage(`${header}de`, page));
  });
  t.strictSame([...found], ['en']);
  t.ok(took < 50, `${took} ms`);
});

t.test('a tag matches itself, or a language that it begins with', async (t) => {
  const cases: [tag: string, language: string | undefined][] = [
    ['EN', 'en'],
    ['de-AT', 'de-AT'],
    ['de-AT-1996', 'de-AT'],
    ['de-CH-1996', undefined],
    ['en-Latn-US-u-ca-buddhist', 'en'],
    ['zh-hant-TW', 'zh-Hant'],
    ['zh-hanta', undefined],
    ['zh-hantabc-TW', undefined],
    ['english', undefined],
    ['', undefined],
    ['-en', undefined],
  ];
  for (const [tag, language] of cases) t.equal(matchLanguage(tag, ['en', 'de-AT', 'zh-Hant']), language, tag);
  t.equal(matchLanguage('en', []), undefined);
});

t.test('a tag of any length is parsed quickly', async (t) => {
  const found = new Set<string | undefined>();
  const took = leastCpuMsOf(() => {
    for (let i = 0; i < 20; i += 1) found.add(matchLanguage('a-'.repeat(8_000), ['en', 'de-AT']));
  });
  t.strictSame([...found], [undefined]);
  t.ok(took < 50, `${took} ms`);
});
