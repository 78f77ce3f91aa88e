import type { Me } from '../../contract/manage/session.js';
import { type Language, toLanguage } from './texts.js';

/** What the document that loads the dashboard passes on. */
export type Start = {
  me: Me;
  /** Whether the person may read other pages than those of `me` as well. */
  hasMorePages: boolean;
  /** Language of the person, or else of the browser. */
  language: Language;
  /** Version of the service. */
  version: string;
  /** Address of the service as clients reach it, without a slash at its end. */
  baseUrl: string;
  /** Whether the service sends email. */
  sendsMail: boolean;
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
export function readStart(root: Document): Start {
  const text = root.getElementById('start')?.textContent;
  if (text === undefined || text === null) throw new Error('The document has no element "start".');
  const start: Start = JSON.parse(text);
  return { ...start, language: toLanguage(start.language) };
}
