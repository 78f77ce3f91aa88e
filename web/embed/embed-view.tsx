import { createHash } from 'node:crypto';
import { renderToString } from 'preact-render-to-string';
import type { EmbedState, EmbedTheme } from '../../contract/public/embed.js';
import { type IconState, stateIcons } from '../badges/state-icon.js';
import { formatIn } from '../texts/format.js';

export type EmbedPage = { embed: EmbedState; icon: IconState; theme: EmbedTheme };

const dark = '--card:#181c25;--edge:#3a4150;--ink:#eef0f6;--soft:#a8b0c2;--act:#98a7ff';
/** No `color-scheme`: browsers put a ground behind a frame whose scheme differs from the site's. */
const style = `
:root{--card:#fff;--edge:#d3d8e2;--ink:#171b26;--soft:#555d70;--act:#3346d3}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{${dark}}
body{margin:0;font:14px/1.35 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
h1{margin:0;font:inherit}
a{box-sizing:border-box;display:inline-flex;align-items:center;gap:8px;max-width:min(420px,calc(100% - 6px));min-height:36px;margin:3px;padding:6px 14px 6px 10px;border:1px solid var(--edge);border-radius:18px;background:var(--card);color:var(--ink);text-decoration:none}
a:hover{border-color:var(--act)}
a:focus-visible{outline:2px solid var(--act);outline-offset:1px}
svg{flex:none}
span{min-width:0;overflow-wrap:anywhere}
small{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;color:var(--soft);font-size:12px}
`;

/** Any site may show the view in a frame; the view may load nothing. */
export const embedViewPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'none'",
  "base-uri 'none'",
  'frame-ancestors *',
].join('; ');

/** The widget as HTML for a frame, for sites that accept no scripts. */
export function renderEmbedView({ embed, icon, theme }: EmbedPage): string {
  const { name, sentence, incident, language, url } = embed;
  const html = renderToString(
    <html
      lang={language}
      dir={formatIn(language).direction}
      {...(theme !== 'auto' && { 'data-theme': theme })}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${name}: ${sentence}`}</title>
        {/* Not a child: escaping would change its quotes. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <h1>
            <a href={url} target="_blank" rel="noopener">
              <Icon icon={icon} />
              <span dir="auto">
                {sentence}
                <small dir="auto">{incident ?? name}</small>
              </span>
            </a>
          </h1>
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** Decoration: the sentence says the same in words. */
function Icon({ icon }: { icon: IconState }) {
  const { shape, color, glyph, glyphColor } = stateIcons[icon];
  return (
    <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
      <path d={shape} fill={color} />
      <path
        d={glyph}
        fill="none"
        stroke={glyphColor}
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
