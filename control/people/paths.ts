/** Paths of the links that let people in. The token is in the fragment, which no browser sends and no log has. */

/** The path, with its fragment, of the link of an invitation. */
export function invitationPath(token: string): string {
  return `/manage/invitation#${token}`;
}

/** The path, with its fragment, of the link that sets a new password. */
export function resetPath(token: string): string {
  return `/manage/reset#${token}`;
}

/** The path, with its fragment, of the link that makes the first user. */
export function setupPath(token: string): string {
  return `/manage/setup#${token}`;
}
