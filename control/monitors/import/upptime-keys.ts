/** The treatment of a setting of Upptime, as docs/import.md says for all imports. */
type KeyUse = 'read' | 'noted' | 'aside';

/** Settings of `.upptimerc.yml` beside its sites. */
export const upptimeKeys = {
  ...{ sites: 'read', notifications: 'noted', assignees: 'noted', 'status-website': 'noted' },
  ...{ owner: 'aside', repo: 'aside', repos: 'aside', 'user-agent': 'aside', i18n: 'aside', delay: 'aside' },
  ...{ workflowSchedule: 'aside', commitMessages: 'aside', runner: 'aside', PATName: 'aside' },
  ...{ commitPrefixStatusUp: 'aside', commitPrefixStatusDown: 'aside', commitPrefixStatusDegraded: 'aside' },
  ...{ skipDescriptionUpdate: 'aside', skipTopicsUpdate: 'aside', skipHomepageUpdate: 'aside' },
  ...{ skipDeleteIssues: 'aside', skipGeneratingWebsite: 'aside', customStatusWebsitePackage: 'aside' },
} as const satisfies Readonly<Record<string, KeyUse>>;

/** Settings of a site. */
export const upptimeSiteKeys = {
  ...{ name: 'read', url: 'read', slug: 'read', check: 'read', port: 'read', method: 'read' },
  ...{ expectedStatusCodes: 'read', __dangerous__body_down_if_text_missing: 'read' },
  ...{ headers: 'noted', body: 'noted', maxRedirects: 'noted', maxResponseTime: 'noted', ipv6: 'noted' },
  ...{ assignees: 'noted', tags: 'noted', __dangerous__insecure: 'noted' },
  ...{ __dangerous__disable_verify_peer: 'noted', __dangerous__disable_verify_host: 'noted' },
  ...{ __dangerous__body_down: 'noted', __dangerous__body_degraded: 'noted' },
  ...{ __dangerous__body_degraded_if_text_missing: 'noted', icon: 'aside', verbose: 'aside' },
} as const satisfies Readonly<Record<string, KeyUse>>;

const certificate = 'a certificate that is not valid fails here';
const meant: Readonly<Record<string, string>> = {
  notifications: 'notifications are not read: make channels with heartline channel create',
  assignees: 'its assignees are not told: the channels of a page hear of all monitors',
  'status-website': 'the settings of its website are not read: the page has its own',
  ...{ headers: 'its headers are not sent: set them here', body: 'its body is not sent: set it here' },
  maxRedirects: 'up to 5 redirects are followed',
  maxResponseTime: 'a slow response does not make it degraded: set that with --degraded-over',
  tags: 'its tags are not there',
  ipv6: 'it is reached over IPv4 or IPv6',
  ...{ __dangerous__insecure: certificate, __dangerous__disable_verify_peer: certificate },
  __dangerous__disable_verify_host: certificate,
  __dangerous__body_down: 'a text that means that it is down is not looked for',
  __dangerous__body_degraded: 'a text that means that it is degraded is not looked for',
  __dangerous__body_degraded_if_text_missing: 'a text without which it is degraded is not looked for',
};

/** Returns a note for each setting that is set and is not here, each once. Values are never part of it. */
export function upptimeNotes(settings: object, keys: Readonly<Record<string, KeyUse>>): string[] {
  const notes = Object.entries(settings).flatMap(([key, value]) => {
    const use = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (!isSet(value) || use === 'read' || use === 'aside') return [];
    return (use && meant[key]) ?? `its setting ${key.slice(0, 100)} is not read`;
  });
  return [...new Set(notes)];
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
