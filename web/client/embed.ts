/**
 * The widget: `<script src="https://status.example.com/embed.js" async></script>` shows the state of that page at the
 * tag, with a link to the page. `data-language`, `data-theme` (`light`, `dark`) and `data-position` (`bottom-left`,
 * `bottom-right`) are optional. The widget takes nothing from the site around it, and shows nothing when something fails.
 */
{
  type State = {
    name: string;
    state: string;
    sentence: string;
    language: string;
    incident: string | null;
    url: string;
  };
  type Icon = { shape: string; color: string; glyph: string; glyphColor: string };

  const refreshMs = 60_000;
  const timeoutMs = 10_000;

  const dark = '--card:#181c25;--edge:#3a4150;--ink:#eef0f6;--soft:#a8b0c2;--act:#98a7ff';
  // `!important` in here wins over `!important` of the site, whose `*` also matches the host element.
  const styles = `
:host{all:initial!important;display:inline-block!important;max-width:100%!important;vertical-align:middle!important}
:host([hidden]){display:none!important}
:host([data-position]){position:fixed!important;bottom:16px!important;z-index:2147483000!important;max-width:calc(100vw - 32px)!important}
:host([data-position=bottom-left]){left:16px!important}
:host([data-position=bottom-right]){right:16px!important}
a{--card:#fff;--edge:#d3d8e2;--ink:#171b26;--soft:#555d70;--act:#3346d3;box-sizing:border-box;display:inline-flex;align-items:center;gap:8px;max-width:min(420px,100%);min-height:36px;padding:6px 14px 6px 10px;border:1px solid var(--edge);border-radius:18px;background:var(--card);color:var(--ink);font:14px/1.35 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-align:start;text-decoration:none}
@media (prefers-color-scheme:dark){a:not([data-theme=light]){${dark}}}
a[data-theme=dark]{${dark}}
a:hover{border-color:var(--act)}
a:focus-visible{outline:2px solid var(--act);outline-offset:2px}
:host([data-position]) a{box-shadow:0 2px 10px #10142b33}
svg{flex:none;width:18px;height:18px}
span{min-width:0;overflow-wrap:anywhere}
small{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;color:var(--soft);font-size:12px}
@media print{:host([data-position]){display:none!important}}
`;

  // The shapes of the page's icon.
  const icons: Record<'up' | 'trouble' | 'maintenance' | 'unknown', Icon> = {
    up: {
      shape: 'M8 .5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15z',
      color: '#1f9254',
      glyph: 'M4.6 8.3 7 10.7l4.5-5',
      glyphColor: '#fff',
    },
    trouble: {
      shape: 'M6.7 1.3a1.5 1.5 0 0 1 2.6 0l6.4 11.5a1.5 1.5 0 0 1-1.3 2.2H1.6A1.5 1.5 0 0 1 .3 12.8L6.7 1.3z',
      color: '#db3340',
      glyph: 'M8 5.4v3.7M8 12.2v.05',
      glyphColor: '#fff',
    },
    maintenance: {
      shape: 'M3.5.5h9a3 3 0 0 1 3 3v9a3 3 0 0 1-3 3h-9a3 3 0 0 1-3-3v-9a3 3 0 0 1 3-3z',
      color: '#3a76e0',
      glyph: 'M4.2 11.8 8 8M12.3 5.6A2.8 2.8 0 1 1 10.4 3.7',
      glyphColor: '#fff',
    },
    unknown: {
      shape: 'M8 .5a7.5 7.5 0 1 1 0 15 7.5 7.5 0 0 1 0-15zM8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
      color: '#7d8595',
      glyph: 'M5.6 8h4.8',
      glyphColor: '#7d8595',
    },
  };
  const iconOf = (state: string): Icon => {
    if (state === 'up' || state === 'maintenance') return icons[state];
    return state === 'paused' || state === 'unknown' ? icons.unknown : icons.trouble;
  };

  const svgNamespace = 'http://www.w3.org/2000/svg';
  const drawPath = (attributes: Record<string, string>): SVGElement => {
    const path = document.createElementNS(svgNamespace, 'path');
    for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value);
    return path;
  };

  const drawIcon = ({ shape, color, glyph, glyphColor }: Icon): SVGElement => {
    const svg = document.createElementNS(svgNamespace, 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    const line = { 'stroke-width': '2', 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
    svg.append(
      drawPath({ d: shape, fill: color }),
      drawPath({ d: glyph, fill: 'none', stroke: glyphColor, ...line }),
    );
    return svg;
  };
  /** A host element whose content the site's styles do not reach, and a function that fills it. */
  const build = ({ theme, position }: DOMStringMap): { host: HTMLElement; show(state: State): void } => {
    const host = document.createElement('heartline-status');
    host.hidden = true;
    if (position === 'bottom-left' || position === 'bottom-right') host.dataset['position'] = position;
    const shadow = host.attachShadow({ mode: 'open' });
    // Not a style element: a policy of the site may forbid inline styles.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    shadow.adoptedStyleSheets = [sheet];
    const [link, text, detail] = [
      document.createElement('a'),
      document.createElement('span'),
      document.createElement('small'),
    ];
    if (theme !== undefined) link.dataset['theme'] = theme;
    link.dir = text.dir = detail.dir = 'auto';
    shadow.append(link);
    const show = ({ name, state, sentence, language, incident, url }: State): void => {
      const { href, protocol } = new URL(url);
      if (protocol !== 'https:' && protocol !== 'http:')
        throw new TypeError('The address is none of a page.');
      detail.textContent = incident ?? name;
      text.replaceChildren(sentence, detail);
      link.href = href;
      link.lang = language;
      link.replaceChildren(drawIcon(iconOf(state)), text);
    };
    return { host, show };
  };

  /** At the tag, or at the end of the document when the tag is not displayed. */
  const place = (host: HTMLElement, script: HTMLScriptElement): void => {
    if (host.dataset['position'] === undefined && script.closest('body') !== null) script.after(host);
    else if (document.body !== null) document.body.append(host);
    else document.addEventListener('DOMContentLoaded', () => document.body.append(host));
  };

  const start = (script: HTMLScriptElement): void => {
    const { host, show } = build(script.dataset);
    place(host, script);
    const address = new URL('/embed.json', script.src);
    const language = script.dataset['language'] ?? document.documentElement.lang;
    if (language !== '') address.searchParams.set('language', language);
    let askedAt = 0;
    const refresh = async (): Promise<void> => {
      // The timer may fire a little early.
      if (document.hidden || Date.now() - askedAt < refreshMs - 1_000) return;
      askedAt = Date.now();
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await fetch(address, { credentials: 'omit', cache: 'no-cache', signal });
        if (!response.ok) throw new Error(`${response.status}`);
        show(await response.json());
        host.hidden = false;
      } catch {
        // An old state says nothing about the present.
        host.hidden = true;
      }
    };
    void refresh();
    setInterval(refresh, refreshMs);
    document.addEventListener('visibilitychange', refresh);
  };

  const script = document.currentScript;
  try {
    if (script instanceof HTMLScriptElement) start(script);
  } catch {
    // The browser lacks a feature that the widget needs: the site works without the widget.
  }
}
