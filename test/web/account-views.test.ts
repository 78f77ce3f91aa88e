import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import type { AlertNotice } from '../../contract/manage/alerts.js';
import type { AccountView } from '../../web/account/account-document.js';
import { type LinkedAlert, renderAlertLink, renderNoAlertLink } from '../../web/account/alert-link-view.js';
import { renderDashboardDocument } from '../../web/account/dashboard-document.js';
import {
  type InvitationInput,
  renderInvitation,
  renderInvitationCode,
  renderReset,
  renderSetup,
} from '../../web/account/link-views.js';
import { renderCode, renderForgot, renderSignIn } from '../../web/account/sign-in-views.js';
import { languagesOf } from '../../web/texts/areas.js';
import type { ViewLanguage } from '../../web/texts/texts-of.js';

const languages = languagesOf.view;
const assets = {
  styles: '/assets/page.css',
  theme: '/assets/theme.js',
  account: '/a.css',
  linkCode: '/l.js',
  sendAgain: '/s.js',
};
const viewIn = (language: ViewLanguage, isChosen = false): AccountView => ({
  language,
  isChosen,
  assets,
});
const hostile = '<img src=x onerror=alert(1)>"\'';

const invitation = { email: 'bob@example.com', invitedBy: hostile, page: hostile, role: 'editor' } as const;
const errors = {
  form: hostile,
  email: 'wrong',
  name: 'wrong',
  password: 'wrong',
  token: 'wrong',
  code: 'wrong',
};
const accept = (holder: InvitationInput['holder']) => (view: AccountView) =>
  renderInvitation(view, {
    ...{ token: hostile, invitation, holder, signedInAs: hostile, name: hostile },
    ...{ takesPassword: true, provider: hostile, errors },
  });

const at = new Date(0);
const linkedAlert: LinkedAlert = {
  ...{
    title: hostile,
    ruleName: hostile,
    severity: 'page',
    state: 'firing',
    startedAt: at,
    resolvedAt: null,
  },
  ...{ acknowledgedAt: at, acknowledgedName: hostile, note: hostile, heldBy: hostile },
  evidence: {
    ...{ from: at.toISOString(), to: at.toISOString(), requests: 1, errors: 1 },
    endpoints: [{ service: hostile, endpoint: hostile, requests: 1, errors: 1 }],
    messages: [{ message: hostile, count: 1 }],
    deployment: { service: hostile, version: hostile, environment: hostile, at: at.toISOString() },
  },
};
const notice: AlertNotice = {
  ...{ at: at.toISOString(), step: 0, round: 0, type: 'person', name: hostile },
  ...{ state: 'parked', reason: hostile, ways: [] },
};

/** Every page with everything that it may show. */
const pages: Record<string, (view: AccountView) => string> = {
  'sign-in': (view) =>
    renderSignIn(view, {
      ...{
        takesPassword: true,
        provider: hostile,
        mailsLinks: true,
        to: '/manage?a=<b>',
        email: hostile,
        errors,
      },
    }),
  code: (view) => renderCode(view, { pending: hostile, to: '/manage', errors }),
  forgot: (view) => renderForgot(view, { sent: false, email: hostile, errors }),
  sent: (view) => renderForgot(view, { sent: true, errors: {} }),
  setup: (view) =>
    renderSetup(view, { token: hostile, name: hostile, email: hostile, hasDemo: true, errors }),
  reset: (view) => renderReset(view, { token: hostile, errors }),
  invitation: (view) => renderInvitationCode(view, { token: hostile, errors }),
  new: accept('new'),
  known: accept('known'),
  untold: accept('untold'),
  unproven: accept('unproven'),
  'signed in': accept('signed-in'),
  other: accept('other'),
  alert: (view) =>
    renderAlertLink(view, {
      ...{ token: hostile, page: { slug: hostile, name: hostile, timeZone: 'Europe/Berlin' }, count: 3 },
      ...{
        alerts: [linkedAlert, linkedAlert],
        notices: [notice],
        mayAnswer: true,
        error: 'note',
        note: hostile,
      },
      now: 0,
    }),
  'no alert': renderNoAlertLink,
  dashboard: ({ language }) =>
    renderDashboardDocument({
      language,
      assets: { theme: '/t.js', script: '/m.js', imports: ['/i.js'], styles: '/s.css' },
      start: { name: hostile },
    }),
};

t.test(
  'every page in every language: escaped, without inline code, and with every field labelled',
  async (t) => {
    for (const [what, render] of Object.entries(pages)) {
      for (const language of languages) {
        const html = render(viewIn(language));
        const place = `${what} in ${language}`;
        t.match(html, new RegExp(`^<!doctype html><html lang="${language}">`), place);
        t.notMatch(html, /<img|\sstyle=|\son\w+=(?!alert)|<script>|<style/, place);
        for (const [, address = ''] of html.matchAll(/\s(?:src|action|href)="([^"]*)"/g)) {
          t.match(address, /^(?:\/[^/]|\/$|http:\/\/acme\.localhost\/$)/, place);
        }
        for (const [input] of html.matchAll(/<input(?![^>]*type="hidden")[^>]*>/g)) {
          const id = /\sid="(\w+)"/.exec(input)?.[1];
          const isLabelled = id === undefined ? input.includes('aria-label=') : html.includes(`for="${id}"`);
          t.ok(isLabelled && /\sautocomplete="[a-z-]+"/.test(input), `${place}: ${input}`);
          if (input.includes('type="password"')) t.notMatch(input, /\svalue=/, place);
        }
        for (const [, id = ''] of html.matchAll(/aria-describedby="([\w-]+)"/g)) {
          t.match(html, `id="${id}"`, `${place}: ${id}`);
        }
        t.ok((html.match(/\sautofocus/g) ?? []).length <= 1, place);
        t.equal((html.match(/<h1/g) ?? []).length, 1, place);
      }
    }
  },
);

t.test('a chosen language stays, in links and in forms', async (t) => {
  const html = pages['sign-in']?.(viewIn('de', true)) ?? '';
  for (const [, address = ''] of html.matchAll(/\s(?:action|href)="(\/manage[^"]*)"/g)) {
    t.match(address, /[?;]lang=\w\w$/);
  }
  t.notMatch(pages['sign-in']?.(viewIn('de')), /action="[^"]*lang=/);
});

t.test('the second style sheet is small', async (t) => {
  const css = readFileSync(new URL('../../../web/static/account.css', import.meta.url));
  const bytes = brotliCompressSync(css).length;
  t.ok(bytes < 1_800, `${bytes} bytes`);
});
