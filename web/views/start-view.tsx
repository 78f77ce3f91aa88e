import { commandName } from '../../lib/printed-commands.js';
import type { StartTexts } from '../texts/areas.js';
import { textsOf, type ViewLanguage } from '../texts/texts-of.js';
import { Icon } from './elements.js';
import { renderPlainDocument } from './plain-document.js';
import type { ViewAssets } from './view-context.js';

/** The content of the start page of a service. */
export type StartInput = {
  /** A sentence for each fault; empty when the service is ready. */
  faults: readonly string[];
  /** Where people sign in. */
  signIn: string;
  /** Where the documentation is. */
  docs: string;
  /** Whether the reader may read the metrics and the state of the stores. */
  observes: boolean;
  /** Whether somebody has an account. */
  isSetUp: boolean;
  /** The status pages, for readers who may see the list; `more` counts further ones. */
  listed?: { pages: readonly { name: string; address: string }[]; more: number } | undefined;
};

/** The page at the address of a service that is no status page's host, as HTML without scripts. */
export function renderStartView(input: StartInput, language: ViewLanguage, assets: ViewAssets): string {
  const texts = textsOf('start', language);
  const account = textsOf('account', language);
  const ready = input.faults.length === 0;
  return renderPlainDocument({
    ...{ language, assets, title: ready ? texts.running : texts.notReady },
    children: (
      <>
        <section class={`overall ${ready ? 'up' : 'incident'}`}>
          <span class="badge">
            <Icon kind={ready ? 'up' : 'incident'} />
          </span>
          <div>
            <h1>{ready ? texts.running : texts.notReady}</h1>
            {ready ? (
              <>
                <p>{texts.about}</p>
                <p class="checked">{texts.ready}</p>
              </>
            ) : (
              input.faults.map((fault) => (
                <p key={fault} {...(language !== 'en' && { lang: 'en' })}>
                  {fault}
                </p>
              ))
            )}
          </div>
        </section>
        <section>
          <h2>{account.signIn.title}</h2>
          <p class="about">{input.isSetUp ? account.signIn.text : account.signIn.notSetUp}</p>
          <p>
            <a href={input.signIn}>{account.signIn.button}</a>
          </p>
        </section>
        <Pages listed={input.listed} texts={texts} />
        <section>
          <h2>{texts.more}</h2>
          <dl class="links">
            {input.observes && <Link path="/readyz" text={texts.readiness} />}
            <Link path="/openapi.json" text={texts.description} />
            {input.observes && <Link path="/metrics" text={texts.metrics} />}
            <Link path={input.docs} text={texts.docs} />
          </dl>
        </section>
      </>
    ),
  });
}

function Pages({ listed, texts }: { listed: StartInput['listed']; texts: StartTexts }) {
  return (
    <section>
      <h2>{texts.pages}</h2>
      {listed === undefined && <p class="about">{texts.pagesElsewhere}</p>}
      {listed?.pages.length === 0 && (
        <p class="about">
          {texts.noPages}{' '}
          <code>{`${commandName} page create --slug acme --hostname status.example.com`}</code>
        </p>
      )}
      {listed !== undefined && listed.pages.length > 0 && (
        <dl class="links">
          {listed.pages.map(({ name, address }) => (
            <div key={address}>
              <dt dir="auto">
                <a href={address}>{name}</a>
              </dt>
              <dd>{address}</dd>
            </div>
          ))}
        </dl>
      )}
      {listed !== undefined && listed.more > 0 && (
        <p class="about">{texts.morePages({ count: listed.more })}</p>
      )}
    </section>
  );
}

function Link({ path, text }: { path: string; text: string }) {
  return (
    <div>
      <dt>
        <a href={path}>{path}</a>
      </dt>
      <dd>{text}</dd>
    </div>
  );
}
