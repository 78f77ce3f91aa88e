import { readerPath } from '../page-paths.js';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import { Icon } from './elements.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

export type PrivateViewInput = {
  assets: ViewAssets;
  /** Where the reader wanted to go: a path on this host. */
  to: string;
  /** Where people who run the page sign in, and come back from. */
  signInUrl: string;
  hasPassword: boolean;
  /** Why the password that was sent does not help. */
  problem?: 'wrong' | 'busy';
};

/** The view for readers who may not read a private page: nothing of it, and the ways in. */
export function renderPrivateView(language: ViewLanguage, view: PrivateViewInput): string {
  const { assets, to, signInUrl, hasPassword, problem } = view;
  const texts = textsOf('view', language).privatePage;
  return renderPlainDocument({
    ...{ language, assets, title: texts.title },
    children: (
      <>
        <section class="overall plain">
          <span class="badge">
            <Icon kind="lock" />
          </span>
          <div>
            <h1>{texts.title}</h1>
            <p>{hasPassword ? texts.askPassword : texts.noPassword}</p>
          </div>
        </section>
        <section class="subscribe reader">
          {hasPassword && (
            <form class="subscribe-form" method="post" action={readerPath}>
              <label for="password">{texts.password}</label>
              <div class="field">
                <input
                  id="password"
                  name="password"
                  type="password"
                  autocomplete="current-password"
                  maxLength={200}
                  required
                  {...(problem !== undefined && {
                    'aria-invalid': 'true',
                    'aria-describedby': 'password-problem',
                  })}
                />
                <input type="hidden" name="to" value={to} />
                <button type="submit" class="button">
                  {texts.open}
                </button>
              </div>
              {problem !== undefined && (
                <p class="problem" id="password-problem" role="alert">
                  {texts[problem]}
                </p>
              )}
            </form>
          )}
          <p class="note">
            <a href={signInUrl}>{texts.signIn}</a>
          </p>
        </section>
      </>
    ),
  });
}
