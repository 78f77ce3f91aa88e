import { withPrintedCommands } from '../../lib/printed-commands.js';
import { textsOf } from '../texts/texts-of.js';
import { Icon } from '../views/elements.js';
import { type AccountView, addressIn, renderAccountDocument } from './account-document.js';
import {
  EmailField,
  Field,
  type FieldErrors,
  FormMessage,
  fieldLimits,
  focusIn,
  PasswordField,
  Submit,
} from './fields.js';
import { accountPaths } from './manage-paths.js';

export type SignInInput = {
  /** Whether people may sign in with a password. */
  takesPassword: boolean;
  /** Host name of the identity provider, when there is one. */
  provider: string | undefined;
  /** Whether a link to choose a new password can be mailed. */
  mailsLinks: boolean;
  /** Where to go afterwards: a local path. */
  to: string | undefined;
  email?: string | undefined;
  /** The sealed input of an attempt that the service was too busy for, to be sent again. */
  kept?: KeptSignIn | undefined;
  errors: FieldErrors;
  notice?: 'signedOut' | 'passwordChanged' | 'notSetUp' | undefined;
};

/** `sealed` has the email and the password; the form sends it back after `retryAfterSeconds`. */
export type KeptSignIn = { sealed: string; retryAfterSeconds: number };

/** The form to sign in, as HTML. */
export function renderSignIn(view: AccountView, input: SignInInput): string {
  const texts = textsOf('account', view.language);
  const { title, text } = texts.signIn;
  const { errors, notice, takesPassword, provider, kept } = input;
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.signIn, query: queryOf(input) },
    sendsAgain: kept !== undefined,
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in">{takesPassword ? text : texts.signIn.providerOnly}</p>
        <FormMessage error={errors['form']} notice={notice && withPrintedCommands(texts.signIn[notice])} />
        {takesPassword && kept !== undefined && <KeptForm view={view} kept={kept} to={input.to} />}
        {takesPassword && kept === undefined && <PasswordForm view={view} input={input} />}
        {takesPassword && provider !== undefined && (
          <p class="or">
            <span>{texts.signIn.or}</span>
          </p>
        )}
        {provider !== undefined && (
          <ProviderLink view={view} provider={provider} to={input.to} second={takesPassword} />
        )}
      </section>
    ),
  });
}

function PasswordForm({ view, input }: { view: AccountView; input: SignInInput }) {
  const texts = textsOf('account', view.language);
  const { email, errors, mailsLinks } = input;
  const focus = focusIn(errors, ['email', 'password'], email === undefined ? 'email' : 'password');
  return (
    <form method="post" action={addressIn(view, accountPaths.signIn)}>
      <HiddenTo to={input.to} />
      <EmailField texts={texts} errors={errors} value={email} focus={focus === 'email'} />
      <PasswordField texts={texts} errors={errors} focus={focus === 'password'} />
      {mailsLinks && (
        <p class="beside">
          <a href={addressIn(view, accountPaths.forgot)}>{texts.signIn.forgot}</a>
        </p>
      )}
      <Submit text={texts.signIn.button} />
    </form>
  );
}

/** Sends what was typed once more: by the script, or by the button. */
function KeptForm({ view, kept, to }: { view: AccountView; kept: KeptSignIn; to: string | undefined }) {
  const texts = textsOf('account', view.language);
  return (
    <form
      method="post"
      action={addressIn(view, accountPaths.signIn)}
      data-send-again-seconds={kept.retryAfterSeconds}
    >
      <input type="hidden" name="kept" value={kept.sealed} />
      <HiddenTo to={to} />
      <Submit text={texts.signIn.button} />
      <p class="below">
        <a href={addressIn(view, accountPaths.signIn, queryOf({ to }))}>{texts.code.again}</a>
      </p>
    </form>
  );
}

/** A link and no form: the policy of the page lets forms go nowhere else, and this leads to the identity provider. */
export function ProviderLink({ view, provider, to, second }: ProviderLinkProps) {
  const address = addressIn(view, accountPaths.provider, queryOf({ to }));
  return (
    <p class="provider">
      <a class={second ? 'button second' : 'button'} href={address} rel="nofollow">
        {textsOf('account', view.language).signIn.withProvider({ host: provider })}
      </a>
    </p>
  );
}

type ProviderLinkProps = {
  view: AccountView;
  provider: string;
  to: string | undefined;
  /** Whether another way to sign in stands above. */
  second: boolean;
};

function HiddenTo({ to }: { to: string | undefined }) {
  return to === undefined ? null : <input type="hidden" name="to" value={to} />;
}

const queryOf = ({ to }: { to: string | undefined }): Record<string, string> =>
  to === undefined ? {} : { to };

export type CodeInput = {
  /** Proves the password that was sent before; the form sends it back. */
  pending: string;
  to: string | undefined;
  /** The input that the service was too busy for. */
  code?: string | undefined;
  /** After how long the form is sent again then. */
  retryAfterSeconds?: number | undefined;
  errors: FieldErrors;
};

/** The form for the code of an authenticator app, as HTML. */
export function renderCode(
  view: AccountView,
  { pending, to, errors, code, retryAfterSeconds }: CodeInput,
): string {
  const texts = textsOf('account', view.language);
  const { title, text, label, note, button, again } = texts.code;
  return renderAccountDocument({
    // There is nothing at the address of this form without what was sent to it.
    ...{ view, title, path: accountPaths.signIn, query: queryOf({ to }) },
    sendsAgain: retryAfterSeconds !== undefined,
    children: (
      <section class="form-card" aria-labelledby="title">
        <h1 id="title">{title}</h1>
        <p class="lead-in">{text}</p>
        <FormMessage error={errors['form']} />
        <form
          method="post"
          action={addressIn(view, accountPaths.code)}
          data-send-again-seconds={retryAfterSeconds}
        >
          <input type="hidden" name="pending" value={pending} />
          <HiddenTo to={to} />
          <Field
            {...{ label, note, errors, value: code }}
            name="code"
            autocomplete="one-time-code"
            focus
            input={{ maxLength: fieldLimits.code, dir: 'ltr', spellcheck: false, class: 'digits' }}
          />
          <Submit text={button} />
        </form>
        <p class="below">
          <a href={addressIn(view, accountPaths.signIn, queryOf({ to }))}>{again}</a>
        </p>
      </section>
    ),
  });
}

export type ForgotInput = { sent: boolean; email?: string | undefined; errors: FieldErrors };

/** The form that asks for a link to choose a new password, and its answer, as HTML. */
export function renderForgot(view: AccountView, { sent, email, errors }: ForgotInput): string {
  const texts = textsOf('account', view.language);
  const { forgot } = texts;
  const title = sent ? forgot.sentTitle : forgot.title;
  return renderAccountDocument({
    ...{ view, title, path: accountPaths.forgot },
    children: (
      <section class="form-card" aria-labelledby="title">
        {sent && (
          <span class="form-mark">
            <Icon kind="mail" />
          </span>
        )}
        <h1 id="title">{title}</h1>
        <p class="lead-in">{sent ? forgot.sentText : forgot.text}</p>
        <FormMessage error={errors['form']} />
        {!sent && (
          <form method="post" action={addressIn(view, accountPaths.forgot)}>
            <EmailField texts={texts} errors={errors} value={email} focus />
            <Submit text={forgot.button} />
          </form>
        )}
        <p class="below">
          <a href={addressIn(view, accountPaths.signIn)}>{forgot.back}</a>
        </p>
      </section>
    ),
  });
}
