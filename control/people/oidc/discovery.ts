import {
  allowInsecureRequests,
  type ClientAuth,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from 'openid-client';
import type { PageRole } from '../../../contract/permissions.js';
import type { Clock } from '../../../lib/clock.js';
import type { BoundedFetch } from '../../../lib/outbound/bounded-fetch.js';
import { hourMs, secondMs } from '../../../lib/times.js';
import { OidcError } from './oidc-error.js';

/** The role that the members of a group of the identity provider have on a page. */
export type GroupGrant = { group: string; role: PageRole; pageSlug: string };

/** An OpenID Connect provider that signs people in. */
export type OidcSettings = {
  /** As the provider writes it, which may end with a slash. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Scopes to ask for, separated by spaces. */
  scopes: string;
  /** Whether an email counts as verified when the provider does not say whether it is. */
  trustsEmail: boolean;
  /** The claim that lists the groups of a person: its name, or names of nested claims with dots between them. */
  groupsClaim: string;
  grants: readonly GroupGrant[];
};

/**
 * Loads the description of the provider and its keys once an hour, or when they are to be forgotten, for all who wait for
 * it together. A failure is not kept.
 */
export function createDiscovery(
  { issuer, clientId }: OidcSettings,
  { clock, send, authenticate }: { clock: Clock; send: BoundedFetch; authenticate: ClientAuth },
): { load(): Promise<Configuration>; forget(): void } {
  let known: { at: number; loading: Promise<Configuration> } | undefined;
  const url = new URL(issuer);
  const load = async (): Promise<Configuration> => {
    const execute = [enableNonRepudiationChecks];
    if (url.protocol === 'http:') execute.push(allowInsecureRequests);
    try {
      const metadata = { [clockTolerance]: clocksDifferSecondsMax };
      return await discovery(url, clientId, metadata, authenticate, {
        ...{ [customFetch]: send, execute, timeout: requestMsMax / secondMs },
      });
    } catch (error) {
      throw new OidcError('down', error);
    }
  };
  return {
    load() {
      const now = clock.now();
      if (known === undefined || Math.abs(now - known.at) > discoveredMsMax) {
        const begun = { at: now, loading: load() };
        known = begun;
        begun.loading.catch(() => {
          if (known === begun) known = undefined;
        });
      }
      return known.loading;
    },
    forget() {
      known = undefined;
    },
  };
}

/** Google and Microsoft answer in less than a second; a person waits. */
export const requestMsMax = 5 * secondMs;

/** The provider changes its keys and addresses seldom; after a token with a new key they are loaded again in any case. */
const discoveredMsMax = hourMs;

const clocksDifferSecondsMax = 30;
