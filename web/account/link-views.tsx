import type { PageRole } from '../../contract/permissions.js';
import { textsOf } from '../texts/texts-of.js';
import { type AccountView, addressIn, renderAccountDocument } from './account-document.js';

import {
  EmailField,
  type FieldErrors,
  FormMessage,
  focusIn,
  LinkCodeField,
  NameField,
  NewPasswordField,
  PasswordField,
  Submit,
} from './fields.js';
import { accountPaths } from './manage-paths.js';
import { ProviderLink } from './sign-in-views.js';

export type SetupInput = {
  token?: string | undefined;
  name?: string | undefined;
  email?: string | undefined;
  /** Whether there is a demo page, which the new user gets. */
  hasDemo: boolean;
  errors: FieldErrors;
};

/** The form that creates the first user, as HTML. */
export function renderSetup(view: AccountView, input: SetupInput): string {
  const texts = textsOf('account', view.language);
  const { title, text, demo, button } = texts.setup;
  const { errors, hasDemo } = input;
  const focus = focusIn(errors, ['token', 'name', 'email', 'password'], 'name');
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.setup, takesLinkCode: true },
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in">{hasDemo ? `${text} ${demo}` : text}</p>
        <FormMessage error={errors['form']} />
        <form method="post" action={addressIn(view, accountPaths.setup)}>
          <LinkCodeField texts={texts} errors={errors} value={input.token} focus={focus === 'token'} />
          <NameField texts={texts} errors={errors} value={input.name} focus={focus === 'name'} />
          <EmailField texts={texts} errors={errors} value={input.email} focus={focus === 'email'} />
          <NewPasswordField texts={texts} errors={errors} focus={focus === 'password'} />
          <Submit text={button} />
        </form>
      </section>
    ),
  });
}

export type ResetInput = { token?: string | undefined; errors: FieldErrors };

/** The form for a new password, as HTML. */
export function renderReset(view: AccountView, { token, errors }: ResetInput): string {
  const texts = textsOf('account', view.language);
  const { title, text, button } = texts.reset;
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.reset, takesLinkCode: true },
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in">{text}</p>
        <FormMessage error={errors['form']} />
        <form method="post" action={addressIn(view, accountPaths.reset)}>
          <LinkCodeField texts={texts} errors={errors} value={token} focus={errors['token'] !== undefined} />
          <NewPasswordField texts={texts} errors={errors} focus={errors['token'] === undefined} />
          <Submit text={button} />
        </form>
      </section>
    ),
  });
}

/** The form for the code of an invitation, as HTML. The script sends it by itself. */
export function renderInvitationCode(view: AccountView, { token, errors }: ResetInput): string {
  const texts = textsOf('account', view.language);
  const { title, text, open } = texts.invitation;
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.invitation, takesLinkCode: true },
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in">{text}</p>
        <FormMessage error={errors['form']} />
        <form method="post" action={addressIn(view, accountPaths.invitation)} data-send="">
          <LinkCodeField texts={texts} errors={errors} value={token} focus />
          <Submit text={open} />
        </form>
      </section>
    ),
  });
}

/** An invitation as its holder sees it. */
export type ShownInvitation = {
  email: string;
  invitedBy: string;
  /** The name of the page; absent for an invitation to run the installation. */
  page?: string | undefined;
  role?: PageRole | undefined;
};

export type InvitationInput = {
  token: string;
  invitation: ShownInvitation;
  /** `other`: somebody else is signed in. `untold`: the page does not tell whether there is an account. */
  holder: 'new' | 'unproven' | 'known' | 'untold' | 'signed-in' | 'other';
  /** Email of the person who is signed in. */
  signedInAs?: string | undefined;
  name?: string | undefined;
  /** Whether people may sign in with a password. */
  takesPassword: boolean;
  /** Host name of the identity provider, when there is one. */
  provider: string | undefined;
  errors: FieldErrors;
};

/** An invitation with the form to accept it, as HTML. */
export function renderInvitation(view: AccountView, input: InvitationInput): string {
  const texts = textsOf('account', view.language);
  const { invitation, holder, signedInAs = '', errors } = input;
  const { title, toPage, toInstallation, otherAccount } = texts.invitation;
  const { invitedBy, page } = invitation;
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.invitation, query: { kept: 'yes' }, takesLinkCode: true },
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in" dir="auto">
          {page === undefined ? toInstallation({ inviter: invitedBy }) : toPage({ inviter: invitedBy, page })}
        </p>
        <InvitationFacts view={view} invitation={invitation} />
        <FormMessage
          error={errors['form'] ?? (holder === 'other' ? otherAccount({ email: signedInAs }) : undefined)}
        />
        {holder === 'other' ? (
          <form method="post" action={addressIn(view, accountPaths.signOut)}>
            <button type="submit" class="button second">
              {texts.signOut}
            </button>
          </form>
        ) : (
          <Accept view={view} input={input} />
        )}
      </section>
    ),
  });
}

function InvitationFacts({ view, invitation }: { view: AccountView; invitation: ShownInvitation }) {
  const { invitation: texts, roles, roleNotes } = textsOf('account', view.language);
  const { email, role } = invitation;
  return (
    <dl class="facts-list">
      {role !== undefined && (
        <div>
          <dt>{texts.role}</dt>
          <dd>
            <b>{roles[role]}</b> {roleNotes[role]}
          </dd>
        </div>
      )}
      <div>
        <dt>{texts.for}</dt>
        <dd>{email}</dd>
      </div>
    </dl>
  );
}

/** People who have not signed in yet may do that with the identity provider, and come back. */
function Accept({ view, input }: { view: AccountView; input: InvitationInput }) {
  const { holder, takesPassword, provider } = input;
  const isSignedIn = holder === 'signed-in';
  const to = accountPaths.keptInvitation;
  return (
    <>
      {(isSignedIn || takesPassword) && <AcceptForm view={view} input={input} />}
      {!isSignedIn && provider !== undefined && (
        <>
          {takesPassword && (
            <p class="or">
              <span>{textsOf('account', view.language).signIn.or}</span>
            </p>
          )}
          <ProviderLink view={view} provider={provider} to={to} second={takesPassword} />
        </>
      )}
    </>
  );
}

function AcceptForm({ view, input }: { view: AccountView; input: InvitationInput }) {
  const texts = textsOf('account', view.language);
  const { token, invitation, holder, name, errors } = input;
  const focus = focusIn(errors, ['name', 'password'], 'name');
  const makesAccount = holder === 'new' || holder === 'unproven' || holder === 'untold';
  return (
    <form method="post" action={addressIn(view, accountPaths.acceptInvitation)}>
      <input type="hidden" name="token" value={token} />
      {makesAccount && (
        <p class="note">
          {holder === 'unproven' ? texts.invitation.unprovenAccount : texts.invitation.newAccount}
        </p>
      )}
      {holder === 'known' && <p class="note">{texts.invitation.existingAccount}</p>}
      {/* For password managers: the invitation says which email it is. */}
      {holder !== 'signed-in' && (
        <input
          class="visually-hidden"
          type="email"
          name="email"
          aria-label={texts.email}
          autocomplete="username"
          tabIndex={-1}
          value={invitation.email}
          readOnly
        />
      )}
      {makesAccount && (
        <>
          <NameField texts={texts} errors={errors} value={name} focus={focus === 'name'} />
          <NewPasswordField texts={texts} errors={errors} focus={focus === 'password'} />
        </>
      )}
      {holder === 'known' && <PasswordField texts={texts} errors={errors} focus />}
      <Submit text={texts.invitation.accept} />
      {holder === 'untold' && (
        <p class="note">
          {texts.invitation.haveAccount}{' '}
          <a href={addressIn(view, accountPaths.signIn, { to: accountPaths.keptInvitation })}>
            {texts.signIn.button}
          </a>
        </p>
      )}
    </form>
  );
}
