import { readdir } from 'node:fs/promises';
import t from 'tap';
import { openAccountBrowser } from '../../support/account-pages.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService(t, { roles: new Set(['api'] as const) });
const browser = openAccountBrowser(service);

t.test('200: every page of the documentation, and no link or anchor in it leads nowhere', async (t) => {
  const files = await readdir(new URL('../../../../docs/', import.meta.url));
  const names = files.flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);
  t.ok(names.length > 30, `${names.length} pages`);
  const pages = new Map<string, string>();
  const wrong: string[] = [];
  for (const name of names) {
    const { status, html } = await browser.get(`/docs/${name}`);
    if (status !== 200 || !/<h1 id="/.test(html)) wrong.push(`${name}: ${status}`);
    pages.set(name, html);
  }
  for (const [name, html] of pages) {
    for (const [, target = '', anchor] of html.matchAll(/href="\/docs\/([\w-]+)(?:#([^"]+))?"/g)) {
      const there = pages.get(target);
      const isThere = anchor === undefined || there?.includes(`id="${decodeURIComponent(anchor)}"`) === true;
      if (there === undefined || !isThere) wrong.push(`${name}: ${target}#${anchor}`);
    }
    if (/<script|<img|href="[\w./-]+\.md/.test(html)) wrong.push(`${name}: a script, a picture, or a file`);
  }
  t.strictSame(wrong, []);
});

t.test('200: it begins with its table of contents, under a strict policy', async (t) => {
  const { status, html, headers } = await browser.get('/docs');
  t.equal(status, 200);
  t.match(html, '<a href="/docs/get-started">');
  t.match(headers.get('content-security-policy'), /default-src 'none'.*style-src 'self' 'sha256-/);
});

t.test('404: no such page, and on the host of a status page nothing', async (t) => {
  for (const path of ['/docs/none', '/docs/..%2Fpackage', '/docs/%00']) {
    t.equal((await browser.get(path)).status, 404, path);
  }
  t.equal((await openAccountBrowser(service, 'acme.localhost').get('/docs/api')).status, 404);
});
