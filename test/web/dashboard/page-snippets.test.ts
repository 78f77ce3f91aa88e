import t from 'tap';
import { proxyLines } from '../../../web/dashboard/screens/page/address/proxy-lines.js';
import {
  type BadgeChoice,
  badgeCode,
  badgeUrl,
  widgetCode,
} from '../../../web/dashboard/screens/page/badges/snippets.js';

const page = 'https://status.acme.example/';
const usual: BadgeChoice = { service: undefined, metric: 'status', window: '30d', style: 'flat' };
const service = { slug: 'api', name: 'API' };

t.test('the address of a badge leaves out what is usual', async (t) => {
  t.equal(badgeUrl(page, usual), `${page}badge.svg`);
  t.equal(badgeUrl(page, { ...usual, metric: 'uptime', window: '7d' }), `${page}badge.svg`);
  t.equal(
    badgeUrl(page, { service, metric: 'uptime', window: '90d', style: 'plastic' }),
    `${page}badge/api.svg?metric=uptime&window=90d&style=plastic`,
  );
  t.equal(badgeUrl(page, { ...usual, service, metric: 'uptime' }), `${page}badge/api.svg?metric=uptime`);
});

t.test('names that mean something in Markdown and HTML', async (t) => {
  const { markdown, html } = badgeCode(page, usual, 'A [1] "x" <b> & \\');
  t.equal(markdown, `[![A \\[1\\] "x" <b> & \\\\](${page}badge.svg)](${page})`);
  t.equal(
    html,
    `<a href="${page}"><img src="${page}badge.svg" alt="A [1] &quot;x&quot; &lt;b> &amp; \\"></a>`,
  );
});

t.test('the widget and the proxies name the host of the page', async (t) => {
  t.equal(widgetCode(page).script, `<script src="${page}embed.js" async></script>`);
  t.match(widgetCode(page).frame, `src="${page}embed"`);
  const [caddy, nginx] = proxyLines('status.acme.example', 9312);
  t.match(caddy?.text, /^status\.acme\.example \{\n\treverse_proxy 127\.0\.0\.1:9312/);
  t.match(nginx?.text, 'proxy_pass http://127.0.0.1:9312;');
  t.match(nginx?.text, 'server_name status.acme.example;');
});
