import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { inLanguage, matchLanguage } from '../../lib/locale/language.js';
import {
  renderSubscriptionView,
  styleFor,
  subscriptionViewPolicy,
} from '../../web/views/subscriptions/subscription-view.js';
import { contrast } from '../support/contrast.js';
import { makeView } from '../support/page-views.js';

const { brand } = makeView();
const states = ['confirm', 'confirmed', 'expired', 'unsubscribe', 'unsubscribed', 'invalid'] as const;
const languages = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'ja'];

t.test('every state has a view with one heading, and a button where there is something to do', async (t) => {
  for (const language of languages) {
    const titles = states.map((state) => {
      const html = renderSubscriptionView({ state, brand, language });
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
  const html = renderSubscriptionView({ state: 'confirm', brand, language: 'en' });
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
  t.ok(style.length > 0);
  t.match(
    subscriptionViewPolicy(styleFor(brand.accent)),
    `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
});

t.test('the name of a page is escaped', async (t) => {
  const html = renderSubscriptionView({
    state: 'confirm',
    brand: { ...brand, name: '</title><script>"&' },
    language: 'en',
  });
  t.notMatch(html, '<script');
  t.match(html, '&lt;script');
});

t.test('texts have enough contrast to their ground (WCAG AA)', async (t) => {
  for (const accent of ['#0a7f5a', '#ffff00', '#000000', '#ffffff', '#ff8800', '#777777', '#FF00aa']) {
    checkContrast(
      t,
      renderSubscriptionView({ state: 'confirm', brand: { ...brand, accent }, language: 'en' }),
    );
  }
  const { accent, ...plain } = brand;
  checkContrast(t, renderSubscriptionView({ state: 'confirm', brand: plain, language: 'en' }));
});

function checkContrast(t: Test, html: string): void {
  const schemes = [...html.matchAll(/:root\{([^}]*)\}/g)].map(([, body]) => readColours(body ?? ''));
  const [light = {}, dark = {}, ownLight = {}, ownDark = {}] = schemes;
  for (const colours of [
    { ...light, ...ownLight },
    { ...light, ...dark, ...ownDark },
  ]) {
    for (const [text, ground] of [
      ['ink', 'card'],
      ['soft', 'card'],
      ['on-act', 'act'],
      ['done', 'done-ground'],
      ['wrong', 'wrong-ground'],
      ['on-ask', 'ask-ground'],
    ] as const) {
      const ratio = contrast(colours[text] ?? '', colours[ground] ?? '');
      t.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
    }
  }
}

t.test('a tag finds its language, or its base', async (t) => {
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
