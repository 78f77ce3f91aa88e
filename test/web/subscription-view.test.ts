import { createHash } from 'node:crypto';
import t from 'tap';
import { inLanguage, matchLanguage } from '../../lib/language.js';
import { emailPhrases } from '../../web/mails/mail-phrases.js';
import { viewTextsByLanguage } from '../../web/texts/languages.js';
import { subscriptionPhrases } from '../../web/texts/subscription-phrases.js';
import { renderSubscriptionView, subscriptionViewPolicy } from '../../web/views/subscription-view.js';
import { contrast } from '../support/contrast.js';

const states = ['confirm', 'confirmed', 'expired', 'unsubscribe', 'unsubscribed', 'invalid'] as const;
const languages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'ja'];

t.test('every state has a view with one heading, and a button where there is something to do', async (t) => {
  for (const language of languages) {
    const titles = states.map((state) => {
      const html = renderSubscriptionView({ state, pageName: 'Acme', language });
      t.match(html, `<!doctype html><html lang="${language}">`);
      const asks = state === 'confirm' || state === 'unsubscribe';
      t.equal(
        (html.match(/<form method="post"><button type="submit">[^<]+<\/button><\/form>/g) ?? []).length,
        asks ? 1 : 0,
      );
      t.notMatch(html, /<script|undefined/);
      t.equal((html.match(/<h1>/g) ?? []).length, 1);
      return /<h1>([^<]+)<\/h1>/.exec(html)?.[1] ?? '';
    });
    t.equal(new Set(titles).size, states.length, `${language}: ${titles.join(', ')}`);
  }
});

t.test('the policy allows the style of the view', async (t) => {
  const html = renderSubscriptionView({ state: 'confirm', pageName: 'Acme', language: 'en' });
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
  t.ok(style.length > 0);
  t.match(subscriptionViewPolicy, `'sha256-${createHash('sha256').update(style).digest('base64')}'`);
});

t.test('the name of a page is escaped', async (t) => {
  const html = renderSubscriptionView({ state: 'confirm', pageName: '</title><script>"&', language: 'en' });
  t.notMatch(html, '<script');
  t.match(html, '&lt;script');
});

t.test('texts have enough contrast to their ground (WCAG AA)', async (t) => {
  const html = renderSubscriptionView({ state: 'confirm', pageName: 'Acme', language: 'en' });
  const schemes = [...html.matchAll(/:root\{([^}]*)\}/g)].map(([, body]) => readColours(body ?? ''));
  const [light = {}, dark = {}] = schemes;
  for (const colours of [light, { ...light, ...dark }]) {
    for (const [text, ground] of [
      ['ink', 'card'],
      ['soft', 'card'],
      ['on-act', 'act'],
      ['on-act', 'act-over'],
      ['done', 'done-ground'],
      ['wrong', 'wrong-ground'],
      ['act', 'ask-ground'],
    ] as const) {
      const ratio = contrast(colours[text] ?? '', colours[ground] ?? '');
      t.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
  }
});

t.test('every language has all phrases, and others fall back', async (t) => {
  for (const language of [...languages, ...Object.keys(viewTextsByLanguage)]) {
    t.equal(subscriptionPhrases(language).language, language, 'every language of the status page');
    t.equal(emailPhrases(language).language, language);
  }
  t.equal(subscriptionPhrases('pt-BR').language, 'pt');
  t.equal(emailPhrases('ko').language, 'en');
  t.equal(inLanguage({ en: 1, de: 2 }, 'DE-at'), 2);
  for (const [tag, language] of [
    ['PT', 'pt'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['zh', undefined],
    ['', undefined],
  ] as const) {
    t.equal(matchLanguage(tag, ['en', 'pt', 'zh-Hant']), language, tag);
  }
});

function readColours(body: string): Record<string, string> {
  return Object.fromEntries(
    [...body.matchAll(/--([\w-]+):(#\w+)/g)].map(([, name, colour]) => [name, colour]),
  );
}
