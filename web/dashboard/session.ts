import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { ContactWayKind } from '../../contract/manage/contact-ways.js';
import type { Me } from '../../contract/manage/session.js';
import type { PageRole, Permission } from '../../contract/permissions.js';
import { type Language, toLanguage } from './texts.js';

/** The data that the service writes into the document of the dashboard. */
export type Start = {
  me: Me;
  /** Whether the person may read pages that `me` leaves out. */
  hasMorePages: boolean;
  /** Language of the person, or else of the browser. */
  language: Language;
  /** Version of the service. */
  version: string;
  /** Address of the service as clients reach it, without a slash at its end. */
  baseUrl: string;
  /** Whether the service sends email. */
  sendsMail: boolean;
  /** The ways to tell people of alerts that the operator has set up. */
  wayKinds: readonly ContactWayKind[];
  /** How a shell on the machine of the service calls the command, such as `npx heartline`. */
  commandName: string;
  /** The port of the service that the document came from, behind any proxy; absent for a connection that has ended. */
  port?: number;
};

/**
 * Reads what the service wrote into the document: who is signed in is known before the first request.
 *
 * @throws Error when the document was not made by the service
 */
export function readStart(root: Document): Start | SharedStart {
  const text = root.getElementById('start')?.textContent;
  if (text === undefined || text === null) throw new Error('The document has no element "start".');
  const start: Start | SharedStart = JSON.parse(text);
  return { ...start, language: toLanguage(start.language) };
}

/** The same for somebody who reads a shared board, and is not signed in. */
export type SharedStart = { language: Language; sharedBoard: { token: string } };

/** Who is signed in, and what changes what is known of them. */
export type Session = Start & {
  /** For the answer to a change of the account. */
  setMe(me: Me): void;
  /** For a change of the alert rule of a page. */
  setThreshold(slug: string, percent: number | null): void;
  /** Reads the pages that `me` leaves out; nothing when it has all. */
  loadPages(): void;
};

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('Nobody is signed in.');
  return session;
}

/** A page that the person may read, and what is allowed there. `role` is null for an admin without a role on it. */
export type OpenPage = {
  slug: string;
  name: string;
  role: PageRole | null;
  /** The threshold of its alert rule; null without one. */
  alertThresholdPercent: number | null;
  may(permission: Permission): boolean;
};

export const PageContext = createContext<OpenPage | undefined>(undefined);

/** The page of the screen. */
export function usePage(): OpenPage {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('The screen belongs to no page.');
  return page;
}

/** Returns whether the person has a permission on the page with this slug; none where they may not read it. */
export function useMay(slug: string | undefined): (permission: Permission) => boolean {
  const { me } = useSession();
  return useMemo(() => {
    const held = new Set(me.pages.find((one) => one.slug === slug)?.permissions);
    return (permission) => held.has(permission);
  }, [me, slug]);
}
