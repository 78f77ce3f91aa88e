import type { PublicView } from '../contract/status-page.js';
import { Icon, type IconKind } from './icons.js';
import type { PageAssets } from './page-assets.js';
import { openContext, type PageContext } from './page-context.js';
import { renderFrame } from './page-frame.js';
import { statusPath } from './page-paths.js';
import { OtherWays, SubscribeForm } from './subscribe-form.js';

export type SubscribeState = {
  form: 'ask' | 'sent' | 'refused';
  /** Why it was refused; in the language of the page. */
  message?: string;
};

/** The answer to the form of the page where no script handles it, and a page to subscribe on, as HTML. */
export function renderSubscribePage(view: PublicView, state: SubscribeState, assets: PageAssets): string {
  const page = openContext(view, assets);
  const { texts, own } = page;
  const { title, text, icon } = contentOf(page, state);
  return renderFrame({
    page,
    title,
    description: text,
    live: false,
    children: (
      <section class="subscribe-answer" aria-labelledby="answer" {...own}>
        <div class={`overall ${state.form === 'refused' ? 'incident' : 'plain'}`}>
          <span class="badge">
            <Icon kind={icon} />
          </span>
          <div>
            <h1 id="answer">{title}</h1>
            <p id="answer-text" {...(state.form === 'refused' && { role: 'alert' })}>
              {text}
            </p>
            {state.form === 'sent' && (
              <p class="more">
                <a href={statusPath(view.language)}>{texts.currentStatus}</a>
              </p>
            )}
          </div>
        </div>
        {state.form !== 'sent' && (
          <div class="subscribe">
            <SubscribeForm page={page} {...(state.form === 'refused' && { describedBy: 'answer-text' })} />
            <OtherWays page={page} level={2} />
          </div>
        )}
      </section>
    ),
  });
}

function contentOf(
  { texts }: PageContext,
  { form, message }: SubscribeState,
): {
  title: string;
  text: string;
  icon: IconKind;
} {
  if (form === 'sent') return { title: texts.sentTitle, text: texts.sentText, icon: 'mail' };
  if (form === 'refused') {
    return { title: texts.refusedTitle, text: message ?? texts.refusedText, icon: 'incident' };
  }
  return { title: texts.subscribeTitle, text: texts.subscribeText, icon: 'mail' };
}
