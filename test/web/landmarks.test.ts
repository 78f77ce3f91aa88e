import t from 'tap';
import { languagesOf } from '../../web/texts/areas.js';
import { textsOf } from '../../web/texts/texts-of.js';
import { renderHistoryView } from '../../web/views/history-view.js';
import { renderIncidentView } from '../../web/views/incident-view.js';
import { renderNotFoundView } from '../../web/views/not-found-view.js';
import { renderStatusView } from '../../web/views/status-view.js';
import { renderSubscribeView } from '../../web/views/subscriptions/subscribe-view.js';
import { makeEntry, makeView, pageAssets, publicView } from '../support/page-views.js';

type Navigation = { name: string; language: string };

/** The name of each navigation of a document, and the language that it is in. */
function listNavigation(html: string): Navigation[] {
  const [, whole = ''] = /<html lang="([^"]*)"/.exec(html) ?? [];
  return [...html.matchAll(/<nav\b([^>]*)>/g)].map(([, attributes = '']) => ({
    name: / aria-label="([^"]*)"/.exec(attributes)?.[1] ?? '',
    language: / lang="([^"]*)"/.exec(attributes)?.[1] ?? whole,
  }));
}

/** Every view, with every navigation that it can have. */
function drawViews(language: string): [what: string, html: string][] {
  const page = publicView();
  const view = { ...page, language, brand: { ...page.brand, languages: ['en', language] } };
  const month = { month: '2026-11', earlier: '2026-10', later: '2026-12', page: 2, pages: 3 };
  const incident = makeEntry();
  return [
    ['status', renderStatusView({ ...makeView(), ...view }, pageAssets)],
    [
      'history',
      renderHistoryView({ ...view, ...month, incidents: [incident], serviceNames: {} }, pageAssets),
    ],
    ['incident', renderIncidentView({ ...view, incident, serviceNames: {} }, pageAssets)],
    ['subscribe', renderSubscribeView(view, { form: 'ask' }, pageAssets)],
    ['not found', renderNotFoundView(view, pageAssets)],
  ];
}

t.test('every navigation has a name of its own, in the language of the page', async (t) => {
  for (const language of languagesOf.view) {
    const { statusPage } = textsOf('view', language);
    for (const [what, html] of drawViews(language)) {
      const found = listNavigation(html);
      const names = found.map(({ name }) => name);
      t.strictSame(names, [...new Set(names)], `${language} ${what}`);
      t.ok(!names.includes(''), `${language} ${what} ${names}`);
      t.equal(names[0], statusPage);
      t.equal(names.length, what === 'history' ? 4 : 2, `${language} ${what} ${names}`);
      for (const one of found) t.equal(one.language, language);
    }
  }
});

t.test('a language without texts gets English names, which are marked as English', async (t) => {
  for (const [what, html] of drawViews('pt-BR')) {
    t.strictSame(listNavigation(html)[0], { name: 'Status page', language: 'en' }, what);
    t.ok(
      listNavigation(html).every(({ language }) => language === 'en'),
      what,
    );
  }
});
