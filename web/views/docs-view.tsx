import createMarkdownIt, { type MarkdownIt } from 'markdown-it';
import { docsPath } from '../page-paths.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

/** Rules beside the style sheet of the views; the policy names the hash of the whole. */
export const docsStyle = [
  '.doc{max-width:48rem;line-height:1.65;overflow-wrap:break-word}',
  '.doc-top{margin-bottom:2rem;font-size:.9375rem}',
  '.doc>*+*,.doc li>*+*{margin-top:1em}',
  '.doc h1{font-size:2rem;line-height:1.2}',
  '.doc h2{margin-top:2.25em;font-size:1.375rem;scroll-margin-top:1rem}',
  '.doc h3{margin-top:1.75em;font-size:1.125rem;scroll-margin-top:1rem}',
  '.doc ul,.doc ol{padding-inline-start:1.5em;list-style:revert}',
  '.doc li+li{margin-top:.375em}',
  '.doc code{padding:.125em .375em;border-radius:.375em;background:var(--none-tint);font:.875em ui-monospace,monospace}',
  '.doc pre{overflow-x:auto;padding:.875rem 1rem;border:1px solid var(--edge);border-radius:.625rem;background:var(--card)}',
  '.doc pre code{padding:0;background:none;line-height:1.6;white-space:pre}',
  '.doc table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.9375rem;line-height:1.5}',
  '.doc th,.doc td{padding:.5rem .75rem;border:1px solid var(--edge);text-align:start;vertical-align:top}',
  '.doc th{background:var(--none-tint)}',
].join('');

const parser = createParser();

/** Draws a page of the documentation from its Markdown, as HTML without scripts. */
export function renderDocsView(markdown: string, assets: ViewAssets): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? 'Heartline';
  return renderPlainDocument({
    ...{ language: 'en', title: `${title} · Heartline`, assets, style: docsStyle },
    children: (
      <>
        <nav class="doc-top" aria-label="Documentation">
          <a href={docsPath}>Documentation</a>
        </nav>
        {/* The parser writes what is HTML in the Markdown as text. */}
        <article class="doc" dangerouslySetInnerHTML={{ __html: parser.render(markdown) }} />
      </>
    ),
  });
}

/** Headings get the anchors of GitHub, which links of the documentation name. Pictures are not served, and left out. */
function createParser(): MarkdownIt {
  const created = new createMarkdownIt('default', { html: false });
  const { rules } = created.renderer;
  rules['heading_open'] = (tokens, at) =>
    `<${tokens[at]?.tag} id="${created.utils.escapeHtml(anchorOf(tokens[at + 1]?.content ?? ''))}">`;
  rules['link_open'] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const address = addressOf(String(token?.attrGet('href') ?? ''));
    if (token !== undefined) token.attrs = address === undefined ? [] : [['href', address]];
    return self.renderToken(tokens, at, options);
  };
  rules['image'] = () => '';
  return created;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Files of the documentation link to each other by name. Other files of the program are not served: `undefined`. */
function addressOf(href: string): string | undefined {
  const [, name, anchor = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `${docsPath}/${name}${anchor}`;
  return /^(?:#|https?:)/.test(href) ? href : undefined;
}
