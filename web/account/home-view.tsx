import type { PageRole } from '../../contract/permissions.js';
import { type AccountView, addressIn, renderAccountDocument, textsOf } from './account-document.js';
import { accountPaths } from './paths.js';

/** Somebody who has signed in, and the pages within reach. */
export type HomeInput = {
  name: string;
  email: string;
  isAdmin: boolean;
  /** `role` is absent for a page that an admin of the installation reaches without a role on it. */
  pages: readonly { name: string; address: string; role?: PageRole | undefined }[];
  /** How many pages the list leaves out. */
  more: number;
};

/** What the signed-in see: who they are, and their pages. */
export function renderHome(view: AccountView, input: HomeInput): string {
  const texts = textsOf(view);
  const { home } = texts;
  return renderAccountDocument({
    ...{ view, title: home.title, path: accountPaths.home, wide: true },
    children: (
      <>
        <Person view={view} input={input} />
        <section aria-labelledby="pages">
          <h2 id="pages">{input.isAdmin ? home.allPages : home.pages}</h2>
          <Pages view={view} input={input} />
        </section>
        <section aria-labelledby="more">
          <h2 id="more">{home.more}</h2>
          <dl class="links">
            <div>
              <dt>
                <a href="/openapi.json">/openapi.json</a>
              </dt>
              <dd>{home.description}</dd>
            </div>
          </dl>
        </section>
      </>
    ),
  });
}

function Person({ view, input: { name, email, isAdmin } }: { view: AccountView; input: HomeInput }) {
  const { home } = textsOf(view);
  return (
    <section class="person" aria-label={home.title}>
      <span class="initial" aria-hidden="true">
        {[...name.trim()].at(0)?.toUpperCase()}
      </span>
      <div>
        <h1 dir="auto">{name}</h1>
        <p class="note">{email}</p>
        {isAdmin && <p class="state maintenance">{home.admin}</p>}
      </div>
      <form method="post" action={addressIn(view, accountPaths.signOut)}>
        <button type="submit" class="button second">
          {home.signOut}
        </button>
      </form>
    </section>
  );
}

function Pages({ view, input: { pages, more } }: { view: AccountView; input: HomeInput }) {
  const { home, roles } = textsOf(view);
  if (pages.length === 0) return <p class="nothing">{home.noPages}</p>;
  return (
    <>
      <dl class="links">
        {pages.map(({ name, address, role }) => (
          <div key={address}>
            <dt dir="auto">
              <a href={address}>{name}</a>
            </dt>
            <dd>{role === undefined ? address : `${roles[role]} · ${address}`}</dd>
          </div>
        ))}
      </dl>
      {more > 0 && <p class="note">{home.morePages(more)}</p>}
    </>
  );
}
