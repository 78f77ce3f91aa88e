import { pageRoles } from '../contract/permissions.js';
import { loadPageId } from '../control/pages/index.js';
import {
  changeUser,
  clearTotp,
  createInvitation,
  createPasswords,
  createResetLink,
  createUser,
  findUserByEmail,
  giveRole,
  invitationPath,
  listAllUsers,
  resetPath,
  type User,
} from '../control/people/index.js';
import { ServiceError } from '../lib/service-error.js';
import type { CommandContext, ControlStore } from './core/context.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatTable, isoTime } from './core/output.js';
import { readLines } from './read-lines.js';

const passwordCharsMax = 1_000;
const person = { email: 'EMAIL' } as const;

/** The options that `user create` and `user invite` share. */
const access = {
  admin: { help: 'runs the installation, and so every page' },
  page: { value: 'SLUG', help: 'a page on which the person gets a role' },
  role: { value: 'ROLE', help: 'the role on that page', choices: pageRoles },
} as const;

export const userCommands = [
  defineCommand({
    name: 'user create',
    summary: 'create a person who signs in',
    help: `Creates a user. With --password-stdin the password is the first line of the standard input; without it, the
command prints a link with which the person chooses one.`,
    options: {
      email: { value: 'EMAIL', help: 'the address with which the person signs in', required: true },
      name: { value: 'NAME', help: 'how others see the person', required: true },
      ...access,
      passwordStdin: { help: 'read the password from the standard input' },
    },
    json: '{"user": {...}, "url"}; "url" is the link to choose a password, null with a password',
    async run(context, { email, name, admin, page, role, passwordStdin }) {
      const place = placeOf({ page, role });
      const password = passwordStdin ? await readPassword() : undefined;
      const deps = await context.openControl();
      const pageId = place && (await loadPageId(deps.sql, place.page));
      const passwords = createPasswords();
      const user = await createUser({ ...deps, passwords }, { email, name, password, isAdmin: admin });
      if (pageId !== undefined && place !== undefined) {
        await giveRole(deps, { pageId, userId: user.id, role: place.role });
      }
      const url = password === undefined ? await makeResetLink(context, deps, user) : null;
      const text = `${user.email} has an account.\n${url === null ? '' : linkText('choose a password', url)}`;
      return { json: { user: userJson(user), url }, text };
    },
  }),

  defineCommand({
    name: 'user invite',
    summary: 'print a link that invites a person',
    help: `Prints a link that works once, for seven days. It gives a role on a page, or with --admin the installation.
The command sends no email: give the link to the person, or invite from the dashboard, which sends it.`,
    options: { email: { value: 'EMAIL', help: 'the address of the person', required: true }, ...access },
    json: '{"email", "role", "url", "expiresAt", "isMailed"}; "role" is null for an admin, "isMailed" is false',
    async run(context, { email, admin, page, role }) {
      const place = placeOf({ page, role });
      if (admin === (place !== undefined)) {
        throw new UsageError('Write either --admin, or --page SLUG and --role ROLE.');
      }
      const deps = await context.openControl();
      const to =
        place === undefined
          ? ({ pageId: null, role: null } as const)
          : { pageId: await loadPageId(deps.sql, place.page), role: place.role };
      const { invitation, token } = await createInvitation(deps, { email, ...to });
      const url = await linkTo(context, invitationPath(token));
      const expiresAt = invitation.expiresAt.toISOString();
      return {
        json: { email: invitation.email, role: invitation.role, url, expiresAt, isMailed: false },
        text: `${invitation.email} is invited until ${expiresAt}. No email was sent; give the person this link.\n${linkText('accept', url)}`,
      };
    },
  }),

  defineCommand({
    name: 'user list',
    summary: 'list the people who may sign in',
    json: '{"users": [...]}',
    async run(context) {
      const users = await listAllUsers(await context.openControl());
      const rows = users.map((user) => [
        ...[user.email, user.name, user.isAdmin ? 'admin' : '', user.hasPassword ? 'yes' : 'no'],
        ...[
          user.hasTotp ? 'yes' : 'no',
          isoTime(user.lastSignedInAt) ?? 'never',
          isoTime(user.disabledAt) ?? '',
        ],
      ]);
      const headings = ['EMAIL', 'NAME', 'ADMIN', 'PASSWORD', 'TOTP', 'SIGNED IN', 'DISABLED'];
      const empty = `Nobody has an account yet; create one with: ${context.commandPrefix} user create`;
      return { json: { users: users.map(userJson) }, text: formatTable(headings, rows, empty) };
    },
  }),

  defineCommand({
    name: 'user disable',
    summary: 'keep a person from signing in, and end all sessions',
    help: 'Every instance refuses the person at once. Nothing of the person is deleted.',
    arguments: person,
    json: '',
    run: (context, { email }) => setDisabled(context, email, true),
  }),

  defineCommand({
    name: 'user enable',
    summary: 'let a disabled person sign in again',
    arguments: person,
    json: '',
    run: (context, { email }) => setDisabled(context, email, false),
  }),

  defineCommand({
    name: 'user reset-password',
    summary: 'print a link with which a person chooses a new password',
    help: `The link works once, for a day. Using it ends all sessions of the person; a code of the authenticator app is
still asked for. Earlier links end.`,
    arguments: person,
    json: '{"url", "expiresAt"}',
    async run(context, { email }) {
      const deps = await context.openControl();
      const { id } = await loadUser(deps, email);
      const { token, expiresAt } = await createResetLink(deps, id);
      const url = await linkTo(context, resetPath(token));
      return {
        json: { url, expiresAt: expiresAt.toISOString() },
        text: linkText('choose a new password', url),
      };
    },
  }),

  defineCommand({
    name: 'user remove-totp',
    summary: 'remove the authenticator app of a person who has lost it',
    help: 'The recovery codes go with it. Signing in asks for the password alone until an app is set up again.',
    arguments: person,
    json: '',
    async run(context, { email }) {
      const deps = await context.openControl();
      const { id } = await loadUser(deps, email);
      await clearTotp(deps, id);
      const user = await loadUser(deps, email);
      return { json: userJson(user), text: `${user.email} signs in without an authenticator app.\n` };
    },
  }),
];

type Place = { page: string; role: (typeof pageRoles)[number] };

/** @throws UsageError for a page without a role, or the other way round */
function placeOf({ page, role }: { [Key in keyof Place]: Place[Key] | undefined }): Place | undefined {
  if (page === undefined && role === undefined) return undefined;
  if (page === undefined || role === undefined) {
    throw new UsageError('--page SLUG and --role ROLE belong together.');
  }
  return { page, role };
}

async function setDisabled(context: CommandContext, email: string, isDisabled: boolean) {
  const deps = await context.openControl();
  const { id } = await loadUser(deps, email);
  const user = await changeUser({ ...deps }, { id, isDisabled });
  const text = `${user.email} ${isDisabled ? 'is disabled' : 'may sign in again'}.\n`;
  return { json: userJson(user), text };
}

/** @throws ServiceError `notFound` */
async function loadUser({ sql }: ControlStore, email: string): Promise<User> {
  const user = await findUserByEmail(sql, email);
  if (user !== undefined) return user;
  throw new ServiceError('notFound', { message: `There is no user with the email "${email}".` });
}

async function makeResetLink(context: CommandContext, deps: ControlStore, { id }: User): Promise<string> {
  const { token } = await createResetLink(deps, id);
  return linkTo(context, resetPath(token));
}

async function linkTo(context: CommandContext, path: string): Promise<string> {
  return new URL(path, await context.serviceUrl()).href;
}

function linkText(what: string, url: string): string {
  return `\n${url}\n\nThe holder of this link can ${what}. It works once, and is not shown again.\n`;
}

/** Not an option: others on the machine see the arguments of processes. */
async function readPassword(): Promise<string> {
  for await (const line of readLines(process.stdin, passwordCharsMax)) return line.replace(/\r$/, '');
  throw new UsageError('The standard input has no password; write it there as one line.');
}

function userJson({ id, email, name, isAdmin, hasPassword, hasTotp, ...user }: User): object {
  return {
    ...{ id, email, name, admin: isAdmin, hasPassword, hasTotp },
    disabledAt: isoTime(user.disabledAt),
    lastSignedInAt: isoTime(user.lastSignedInAt),
    createdAt: user.createdAt.toISOString(),
  };
}
