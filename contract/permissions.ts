/** The permissions of callers of the management API. Routes ask for a permission, never for a role. */
export const permissions = [
  'telemetry.read',
  'incidents.write',
  'alerts.acknowledge',
  'monitors.write',
  'page.write',
  'notifications.write',
  'rules.write',
  'connections.write',
  'keys.write',
  'store.write',
  'people.write',
  'audit.read',
  'page.delete',
  'installation.write',
] as const;
export type Permission = (typeof permissions)[number];

/** Roles of people on a page, from the fewest permissions to the most. */
export const pageRoles = ['viewer', 'responder', 'editor', 'owner'] as const;
export type PageRole = (typeof pageRoles)[number];

const viewer: readonly Permission[] = ['telemetry.read'];
const responder: readonly Permission[] = [...viewer, 'incidents.write', 'alerts.acknowledge'];
const editor: readonly Permission[] = [
  ...responder,
  'monitors.write',
  'page.write',
  'notifications.write',
  'rules.write',
  'connections.write',
];
const owner: readonly Permission[] = [
  ...editor,
  'keys.write',
  'store.write',
  'people.write',
  'audit.read',
  'page.delete',
];

/** The permissions of each role on its page. */
export const permissionsOfRole: Readonly<Record<PageRole, ReadonlySet<Permission>>> = {
  viewer: new Set(viewer),
  responder: new Set(responder),
  editor: new Set(editor),
  owner: new Set(owner),
};

/** The permissions of the installation's admins and of its keys, on every page. */
export const permissionsOfAdmin: ReadonlySet<Permission> = new Set(permissions);

/** Whether a manage key of a page only reads. */
export const keyAccesses = ['read', 'write'] as const;
export type KeyAccess = (typeof keyAccesses)[number];

/** The permissions of a manage key on its page. Neither manages people, sessions or other manage keys. */
export const permissionsOfKey: Readonly<Record<KeyAccess, ReadonlySet<Permission>>> = {
  read: new Set(viewer),
  write: new Set([...editor, 'store.write', 'keys.write']),
};
