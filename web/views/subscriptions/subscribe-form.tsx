import { channelNames, readerKinds } from '../../../contract/channels.js';
import { feedPath, subscribePath, subscribePathIn } from '../../page-paths.js';
import { textsOf } from '../../texts/texts-of.js';
import { Icon } from '../elements.js';
import type { ViewContext } from '../view-context.js';

/** The ways to follow changes. The form works without scripts: its answer is a view. */
export function Subscribe({ context }: { context: ViewContext }) {
  const { texts, own, view } = context;
  return (
    <aside class="subscribe" id="subscribe" aria-labelledby="subscribe-title" {...own}>
      <h2 id="subscribe-title">{texts.subscribeTitle}</h2>
      <p>{view.sendsMail ? texts.subscribeText : texts.followText}</p>
      {view.sendsMail && <SubscribeForm context={context} />}
      <OtherWays context={context} level={3} />
    </aside>
  );
}

export function SubscribeForm({ context, describedBy }: { context: ViewContext; describedBy?: string }) {
  const { texts, view } = context;
  return (
    <form class="subscribe-form" method="post" action={subscribePath}>
      <label for="email">{texts.email}</label>
      <div class="field">
        <input
          id="email"
          name="email"
          type="email"
          dir="ltr"
          autocomplete="email"
          maxLength={254}
          required
          aria-describedby={describedBy === undefined ? 'email-note' : `${describedBy} email-note`}
        />
        <input type="hidden" name="language" value={view.language} />
        <button type="submit" class="button">
          {texts.subscribe}
        </button>
      </div>
      <p class="note" id="email-note">
        {texts.emailNote}
      </p>
    </form>
  );
}

/** A chat is subscribed by its incoming webhook. */
export function ChatForm({ context: { view } }: { context: ViewContext }) {
  const phrases = textsOf('choice', view.language);
  return (
    <div class="chat-ways">
      <h2>{phrases.chatTitle}</h2>
      <p>{phrases.chatText}</p>
      <form class="subscribe-form" method="post" action={subscribePath}>
        <label for="kind">{phrases.chatKind}</label>
        <select id="kind" name="kind">
          {readerKinds.map((kind) => (
            <option key={kind} value={kind}>
              {kind === 'webhook' ? phrases.chatProgram : channelNames[kind]}
            </option>
          ))}
        </select>
        <label for="url">{phrases.chatUrl}</label>
        <div class="field">
          <input
            id="url"
            name="url"
            type="url"
            dir="ltr"
            autocomplete="off"
            maxLength={2_048}
            placeholder="https://"
            required
          />
          <input type="hidden" name="language" value={view.language} />
          <button type="submit" class="button">
            {phrases.chatSend}
          </button>
        </div>
      </form>
    </div>
  );
}

export function OtherWays({ context: { texts, view }, level }: { context: ViewContext; level: 2 | 3 }) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div class="other-ways">
      {(view.sendsMail || level === 2) && <Heading>{texts.otherWays}</Heading>}
      <ul class="feeds" aria-label={texts.feeds}>
        <li>
          <a href={feedPath(view.language, 'rss')}>
            <Icon kind="feed" />
            RSS
          </a>
        </li>
        <li>
          <a href={`${feedPath(view.language, 'rss')}?per=update`}>
            <Icon kind="feed" />
            {texts.feedPerUpdate}
          </a>
        </li>
        <li>
          <a href={feedPath(view.language, 'atom')}>
            <Icon kind="feed" />
            Atom
          </a>
        </li>
        <li>
          <a href={feedPath(view.language, 'json')}>
            <Icon kind="feed" />
            JSON Feed
          </a>
        </li>
        {level === 3 && (
          <li>
            <a href={subscribePathIn(view.language)}>
              <Icon kind="chat" />
              {textsOf('choice', view.language).chatTitle}
            </a>
          </li>
        )}
      </ul>
      <p class="note">{texts.webhooks}</p>
    </div>
  );
}
