import { createHash } from 'node:crypto';
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { PageBrand } from '../../../contract/public/status-page.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { statusPath } from '../../page-paths.js';
import type { SubscriptionTexts } from '../../texts/areas.js';
import { textsOf } from '../../texts/texts-of.js';
import { type AccentColours, accentColours } from '../accent.js';
import { BrandMark } from '../header-footer.js';

export type SubscriptionViewState =
  | 'confirm'
  | 'confirmed'
  | 'expired'
  | 'unsubscribe'
  | 'unsubscribed'
  | 'invalid';

export type SubscriptionViewContent = {
  state: SubscriptionViewState;
  /** Whether the subscriber is told in a chat, and not by email. */
  isChat?: boolean | undefined;
  /** Where a subscriber who has confirmed chooses what it hears of. */
  manageUrl?: string | undefined;
  brand: PageBrand;
  /** The BCP 47 tag of the reader's language. */
  language: string;
};

type Content = { title: string; text: string; mark: 'ask' | 'done' | 'wrong'; button?: string };

const baseStyle = `
:root{color-scheme:light dark;--ground:#f4f5f8;--card:#fff;--edge:#e3e6ec;--ink:#171b26;--soft:#555d70;--act:#3346d3;--on-act:#fff;--done:#137a43;--done-ground:#e3f4ea;--wrong:#a04800;--wrong-ground:#fdf0e2;--ask-ground:#e8ebfd;--on-ask:#3346d3}
@media (prefers-color-scheme:dark){:root{--ground:#0f1218;--card:#181c25;--edge:#2b313e;--ink:#eef0f6;--soft:#a8b0c2;--act:#98a7ff;--on-act:#10142b;--done:#6fd79c;--done-ground:#16321f;--wrong:#ffb36b;--wrong-ground:#3a2613;--ask-ground:#232a4d;--on-ask:#98a7ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{width:100%;max-width:27rem;padding:2.25rem 2rem;background:var(--card);border:1px solid var(--edge);border-radius:1rem;box-shadow:0 1px 2px #10142b0f,0 12px 32px #10142b14;text-align:center}
.page{margin:0 0 1.5rem;font-size:.875rem;font-weight:600;overflow-wrap:anywhere}
.page a{color:var(--soft);text-decoration:none}
.page a:hover{color:var(--ink);text-decoration:underline}
.page img{display:block;width:10rem;height:2.5rem;margin:0 auto .5rem;object-fit:contain}
.mark{display:block;width:3.5rem;height:3.5rem;margin:0 auto 1.25rem;padding:.875rem;border-radius:50%;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.ask{color:var(--on-ask);background:var(--ask-ground)}
.done{color:var(--done);background:var(--done-ground)}
.wrong{color:var(--wrong);background:var(--wrong-ground)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
h1+p{margin:0;color:var(--soft);overflow-wrap:anywhere;text-wrap:pretty}
.more{margin:1.25rem 0 0}
.more a{color:var(--act)}
form{margin:1.75rem 0 0}
button{width:100%;min-height:3rem;padding:.75rem 1.25rem;border:0;border-radius:.625rem;background:var(--act);color:var(--on-act);font:inherit;font-weight:600;cursor:pointer}
button:hover{filter:brightness(1.1)}
button:focus-visible,a:focus-visible{outline:3px solid var(--act);outline-offset:3px}
@media (max-width:26rem){main{padding:2rem 1.25rem}}
@media (forced-colors:active){button{border:1px solid}}
`;

/** The style with the colour of a page. */
export function styleFor(accent: string | undefined): string {
  const [light, dark] = [accentColours(accent, 'light'), accentColours(accent, 'dark')];
  if (light === undefined || dark === undefined) return baseStyle;
  return `${baseStyle}:root{${declare(light)}}@media (prefers-color-scheme:dark){:root{${declare(dark)}}}`;
}

const declare = ({ text, onText, tint, onTint }: AccentColours): string =>
  `--act:${text};--on-act:${onText};--ask-ground:${tint};--on-ask:${onTint}`;

/** A view with this style may show itself and the logo, and post its form to its own host, and nothing else. */
export function subscriptionViewPolicy(style: string): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The view of a link in an email, as HTML. Its form posts to the address of the view. */
export function renderSubscriptionView(content: SubscriptionViewContent): string {
  const { state, brand, language, manageUrl, isChat = false } = content;
  const phrases = textsOf('subscription', language);
  const { title, text, mark, button } = contentOf(state, brand.name, isChat ? inChat(phrases) : phrases);
  return renderDocument({
    ...{ title, brand, language, style: styleFor(brand.accent) },
    children: (
      <>
        <Mark kind={mark} />
        <h1>{title}</h1>
        <p>{text}</p>
        {button !== undefined && (
          <form method="post">
            <button type="submit">{button}</button>
          </form>
        )}
        {state === 'confirmed' && manageUrl !== undefined && (
          <p class="more">
            <a href={manageUrl}>{textsOf('choice', language).manage}</a>
          </p>
        )}
      </>
    ),
  });
}

type DocumentProps = {
  title: string;
  brand: PageBrand;
  language: string;
  style: string;
  children: ComponentChildren;
};

/** A document of one card, below the name of the page. */
export function renderDocument({ title, brand, language, style, children }: DocumentProps): string {
  const { name: pageName, languages, defaultLanguage } = brand;
  const html = renderToString(
    <html lang={textsOf('subscription', language).language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${pageName}`}</title>
        {/* Not a child: escaping would change its quotes. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <main>
          <p class="page" dir="auto">
            <a href={statusPath(matchLanguage(language, languages) ?? defaultLanguage)}>
              <BrandMark brand={brand} />
            </a>
          </p>
          {children}
        </main>
      </body>
    </html>,
  );
  return `<!doctype html>${html}`;
}

/** The same phrases for a chat. */
function inChat(phrases: SubscriptionTexts): SubscriptionTexts {
  const { chatConfirmText: confirmText, chatConfirmedText: confirmedText } = phrases;
  const { chatUnsubscribedText: unsubscribedText } = phrases;
  return { ...phrases, confirmText, confirmedText, unsubscribedText, unsubscribeText: unsubscribedText };
}

function contentOf(state: SubscriptionViewState, pageName: string, phrases: SubscriptionTexts): Content {
  switch (state) {
    case 'confirm':
      return {
        title: phrases.confirmTitle,
        text: phrases.confirmText({ page: pageName }),
        mark: 'ask',
        button: phrases.confirmButton,
      };
    case 'confirmed':
      return { title: phrases.confirmedTitle, text: phrases.confirmedText({ page: pageName }), mark: 'done' };
    case 'expired':
      return { title: phrases.expiredTitle, text: phrases.expiredText({ page: pageName }), mark: 'wrong' };
    case 'unsubscribe':
      return {
        title: phrases.unsubscribeTitle,
        text: phrases.unsubscribeText({ page: pageName }),
        mark: 'ask',
        button: phrases.unsubscribeButton,
      };
    case 'unsubscribed':
      return {
        title: phrases.unsubscribedTitle,
        text: phrases.unsubscribedText({ page: pageName }),
        mark: 'done',
      };
    case 'invalid':
      return { title: phrases.invalidTitle, text: phrases.invalidText, mark: 'wrong' };
  }
}

/** An envelope, a tick or an exclamation mark. Decoration: the title says the same in words. */
function Mark({ kind }: { kind: Content['mark'] }) {
  return (
    <svg class={`mark ${kind}`} viewBox="0 0 24 24" aria-hidden="true">
      {kind === 'ask' && <path d="M3 6h18v13H3zM3 7l9 7 9-7" />}
      {kind === 'done' && <path d="M5 12.5l4.5 4.5L19 7.5" />}
      {kind === 'wrong' && <path d="M12 5v9M12 18.5v.01" />}
    </svg>
  );
}
