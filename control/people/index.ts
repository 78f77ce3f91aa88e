export { createPasswords, type Passwords, type StoredPassword } from '../../lib/secrets/passwords.js';
export { acceptInvitation, acceptInvitationAs } from './accept-invitation.js';
export { type ChangePasswordInput, changePassword } from './change-password.js';
export { changeUser, deleteUser, type UserChanges } from './change-user.js';
export { type CreateUserInput, createUser } from './create-user.js';
export { countUserRequest, findSignedIn, type SignedIn } from './find-signed-in.js';
export { type Identity, type IdentityRefusal, IdentityRefused, signInWithIdentity } from './identity.js';
export {
  type CreatedInvitation,
  createInvitation,
  findInvitation,
  type Invitation,
  type InvitedTo,
  invitationPath,
  listInvitations,
  type OfferedInvitation,
  revokeInvitation,
} from './invitations.js';
export type { GroupGrant, OidcSettings } from './oidc/discovery.js';
export { OidcError } from './oidc/oidc-error.js';
export {
  createOidcProvider,
  type OidcAttempt,
  type OidcProvider,
  oidcAttemptMs,
  type ProvidedIdentity,
  spendOidcState,
} from './oidc/provider.js';
export { changeRole, giveRole, listPeople, loadPerson, type Person, removePerson } from './page-roles.js';
export { passwordCharsMax } from './password-rules.js';
export { type PrunedPeople, prunePeople } from './prune-people.js';
export {
  type CreatedResetLink,
  createResetLink,
  findResetLink,
  requestPasswordReset,
  resetPassword,
  resetPath,
} from './reset-links.js';
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
  setupPath,
} from './setup.js';
export { dropSession, type SignInDeps, type SignInInput, signIn } from './sign-in.js';
export { findUser, findUserByEmail, listAllUsers, listUsers, type User, userActor } from './user.js';
