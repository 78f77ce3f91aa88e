import type { IncomingHttpHeaders } from 'node:http';
import { type Scope, scopePrefix, scopes } from '../contract/scopes.js';
import { isKey } from '../control/keys/index.js';
import { secretDigits } from '../lib/secrets/secrets.js';

const authorizationForm = /^(\S+)(?: +(.*))?$/;
/** Headers in which other services take their keys. */
const otherHeaders = ['x-api-key', 'api-key', 'x-auth-token'] as const;

const bearer = /^Bearer +([!-~]+) *$/i;

/** The key in the Authorization header of a request; `undefined` without one. */
export function bearerKey(headers: IncomingHttpHeaders): string | undefined {
  return bearer.exec(headers.authorization ?? '')?.[1];
}

/**
 * Says what to look at after a request without a valid key. Says the same for a key that never existed and one that was
 * revoked, and never repeats anything of the headers: the wrong part of a header may be the key.
 */
export function hintOnKey(headers: IncomingHttpHeaders, scope: Scope): string {
  const usage = `Send "Authorization: Bearer ${formOf(scope)}".`;
  const other = otherHeaders.find((name) => headers[name] !== undefined);
  const { authorization } = headers;
  if (authorization === undefined && other !== undefined) return `The header ${other} is not read. ${usage}`;
  if (authorization === undefined) return `The request has no Authorization header. ${usage}`;
  const [, scheme = '', token = ''] = authorizationForm.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() !== 'bearer') {
    return `The Authorization header does not begin with the word Bearer. ${usage}`;
  }
  if (token === '') return `The Authorization header has no key after the word Bearer. ${usage}`;
  if (!isKey(token)) return `What follows the word Bearer does not have the form of a key: ${keyForms}`;
  return (
    'The key has the form of a key, but is not valid: it is unknown or revoked. Compare its beginning with ' +
    '"heartline key list --page SLUG" of this very installation.'
  );
}

/** Says which key a route takes, after a request with a key of another scope. */
export function hintOnScope(needed: Scope): string {
  return `Use a key that begins with key_${scopePrefix[needed]}_; "heartline key create --page SLUG --scope ${needed}" makes one.`;
}

function formOf(scope: Scope): string {
  return `key_${scopePrefix[scope]}_…`;
}

const keyForms =
  `${scopes.map((scope) => formOf(scope)).join(', ')}, each with ${secretDigits} letters and digits in place of the dots. ` +
  'Copy the whole key, without quotes and spaces.';
