import { statusPath, subscribePathIn } from '../../page-paths.js';
import { textsOf } from '../../texts/texts-of.js';
import { Icon, type IconKind } from '../elements.js';
import { renderFrame } from '../frame.js';
import type { ViewAssets } from '../view-context.js';
import { openContext, type ViewContext } from '../view-context.js';
import type { ViewInput } from '../view-inputs.js';
import { ChatForm, OtherWays, SubscribeForm } from './subscribe-form.js';

export type SubscribeState = {
  form: 'ask' | 'sent' | 'refused';
  /** Whether it was the form for a chat. */
  isChat?: boolean;
  /** Why the form was refused, in the language of the view. */
  message?: string;
};

/** The view with the form to sign up, which is also the answer to the form where no script sends it, as HTML. */
export function renderSubscribeView(view: ViewInput, state: SubscribeState, assets: ViewAssets): string {
  const context = openContext(view, assets);
  const { texts, own } = context;
  const { title, text, icon } = contentOf(context, state);
  return renderFrame({
    context,
    title,
    description: text,
    switchTo: state.form === 'sent' ? statusPath : subscribePathIn,
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
            {view.sendsMail && (
              <SubscribeForm
                context={context}
                {...(state.form === 'refused' && { describedBy: 'answer-text' })}
              />
            )}
            <ChatForm context={context} />
            <OtherWays context={context} level={2} />
          </div>
        )}
      </section>
    ),
  });
}

function contentOf(
  { texts, view: { language, sendsMail } }: ViewContext,
  { form, message, isChat = false }: SubscribeState,
): {
  title: string;
  text: string;
  icon: IconKind;
} {
  if (form === 'sent' && isChat) {
    const { chatSentTitle: title, chatSentText: text } = textsOf('choice', language);
    return { title, text, icon: 'chat' };
  }
  if (form === 'sent') return { title: texts.sentTitle, text: texts.sentText, icon: 'mail' };
  if (form === 'refused') {
    return { title: texts.refusedTitle, text: message ?? texts.refusedText, icon: 'incident' };
  }
  return sendsMail
    ? { title: texts.subscribeTitle, text: texts.subscribeText, icon: 'mail' }
    : { title: texts.subscribeTitle, text: texts.followText, icon: 'feed' };
}
