export { createPasswords, type Passwords, type StoredPassword } from '../../lib/secrets/passwords.js';
export { acceptInvitation, acceptInvitationAs } from './accept-invitation.js';
export { type ChangePasswordInput, changePassword } from './change-password.js';
export { changeUser, deleteUser, type UserChanges } from './change-user.js';
export { type CreateUserInput, createUser } from './create-user.js';
export { type Identity, type IdentityRefusal, IdentityRefused, signInWithIdentity } from './identity.js';
export {
  type CreatedInvitation,
  createInvitation,
  findInvitation,
  type Invitation,
  type InvitedTo,
  listInvitations,
  type OfferedInvitation,
  revokeInvitation,
} from './invitations.js';
export { OidcError } from './oidc/oidc-error.js';
export {
  createOidcProvider,
  type OidcAttempt,
  type OidcProvider,
  type ProvidedIdentity,
} from './oidc/provider.js';
export type { GroupGrant, OidcSettings } from './oidc/settings.js';
export { oidcAttemptMs, spendOidcState } from './oidc/states.js';
export { passwordCharsMax } from './password-rules.js';
export { invitationPath, resetPath, setupPath } from './paths.js';
export { type PrunedPeople, prunePeople } from './prune.js';
export {
  type CreatedResetLink,
  createResetLink,
  findResetLink,
  requestPasswordReset,
  resetPassword,
} from './reset-links.js';
export { changeRole, giveRole, listPeople, loadPerson, type Person, removePerson } from './roles.js';
export { type BegunTotp, beginTotp, clearTotp, confirmTotp, removeTotp } from './second-factor.js';
export {
  type Client,
  endSession,
  listSessions,
  type Session,
  type StartedSession,
  sessionMs,
} from './sessions.js';
export {
  createSetupLink,
  findSetupLink,
  needsSetUp,
  type SetUpInput,
  setUp,
} from './setup.js';
export { dropSession, type SignInDeps, type SignInInput, signIn } from './sign-in.js';
export { findSignedIn, type SignedIn } from './signed-in.js';
export { findUser, findUserByEmail, listAllUsers, listUsers, type User, userActor } from './user.js';
export { countUserRequest } from './user-requests.js';
