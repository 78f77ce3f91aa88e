import t from 'tap';
import { formatIn } from '../../web/texts/format.js';
import { renderStatusView } from '../../web/views/status-view.js';
import type { StatusViewInput } from '../../web/views/view-inputs.js';
import { makeEntry, makeView, pageAssets } from '../support/page-views.js';

const render = (view: StatusViewInput): string => renderStatusView(view, pageAssets);

t.test('a language without texts gets the English ones, which are marked as English', async (t) => {
  const view = makeView({ language: 'pt-BR' });
  const html = render({ ...view, brand: { ...view.brand, languages: ['en', 'pt-BR'] } });
  t.match(html, '<html lang="pt-BR" dir="ltr">');
  t.match(html, /<h2 id="past" lang="en">Past incidents/);
  t.notMatch(render(makeView({ language: 'de' })), / lang="de">Vergangene/);
  t.match(html, '16:29 UTC');
});

t.test('texts of incidents are in the language, else in the default language, else in any', async (t) => {
  const entry = makeEntry({
    title: { de: 'Langsame Anmeldung', en: 'Slow logins' },
    summary: { fr: 'Connexion lente' },
  });
  const german = render(makeView({ language: 'de', incidents: [entry] }));
  t.match(german, />Langsame Anmeldung</);
  t.match(german, /<div class="text" dir="auto" lang="fr"><p>Connexion lente</);
  const spanish = render(makeView({ language: 'es', incidents: [entry] }));
  t.match(spanish, /<h3 dir="auto" lang="en"><a href="\/es\/incidents\/entry-1">Slow logins</);
});

t.test('each language has its own address', async (t) => {
  const html = render(makeView({ language: 'ja' }));
  t.match(html, '<link rel="canonical" href="https://status.example.com/ja/"/>');
  for (const language of ['en', 'de', 'fr', 'es', 'ja']) {
    t.match(
      html,
      `<link rel="alternate" hreflang="${language}" href="https://status.example.com/${language}/"/>`,
    );
    t.match(html, `<a href="/${language}/" lang="${language}" hreflang="${language}"`);
  }
  t.match(html, '<link rel="alternate" hreflang="x-default" href="https://status.example.com/"/>');
  t.match(html, /hreflang="ja" aria-current="true">日本語</);
  t.match(html, '<meta property="og:locale" content="ja"/>');
  t.match(html, '<meta property="og:url" content="https://status.example.com/ja/"/>');
  t.match(html, '<input type="hidden" name="language" value="ja"/>');
  const alone = makeView();
  t.notMatch(render({ ...alone, brand: { ...alone.brand, languages: ['en'] } }), 'class="languages"');
});

t.test('right-to-left languages are marked', async (t) => {
  for (const [language, direction] of [
    ['ar', 'rtl'],
    ['he', 'rtl'],
    ['fa-IR', 'rtl'],
    ['ur', 'rtl'],
    ['pa-Arab', 'rtl'],
    ['az-Latn', 'ltr'],
    ['ja', 'ltr'],
  ] as const) {
    t.match(render(makeView({ language })), `<html lang="${language}" dir="${direction}">`);
  }
});

t.test('a month of the history has its Gregorian name, whatever calendar the language uses', async (t) => {
  const monthIn = (language: string) => formatIn(language).month('2026-11');
  t.equal(monthIn('en'), 'November 2026');
  t.equal(monthIn('fa'), 'نوامبر ۲۰۲۶');
  t.match(monthIn('ar-SA'), 'نوفمبر');
  t.match(monthIn('th'), '2569');
});

t.test('a language without readers costs only its name', async (t) => {
  const { DateTimeFormat } = Intl;
  t.teardown(() => Object.assign(Intl, { DateTimeFormat }));
  let made = 0;
  const construct = (...given: Parameters<typeof Reflect.construct>) => {
    made += 1;
    return Reflect.construct(...given);
  };
  Object.assign(Intl, { DateTimeFormat: new Proxy(DateTimeFormat, { construct }) });
  const languages = ['cs', 'da', 'el', 'et', 'fi', 'hu', 'it', 'nl', 'pl', 'sv', 'hr', 'lt', 'lv'];
  const view = makeView({ language: 'cs' });
  const html = render({ ...view, brand: { ...view.brand, languages } });
  t.match(html, /hreflang="hu">Magyar<.*hreflang="nl">Nederlands</);
  t.ok(made > 0 && made < languages.length, `${made} formatters`);
});
