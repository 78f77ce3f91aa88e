import { createHash } from 'node:crypto';

/** Headers of every HTML answer of a status page; names and values in turn. */
const security = [
  'x-content-type-options',
  'nosniff',
  // Not `no-referrer`: browsers would post the form of the page with the origin `null`.
  'referrer-policy',
  'same-origin',
  'cross-origin-opener-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
] as const;

/**
 * Headers of a view in a language, names and values in turn. The view may load what its own host serves and the given
 * inline style. It may not run, post to, show or be framed by anything else.
 */
export function viewHeaders(language: string, inlineStyle: string): string[] {
  return ['content-language', language, 'content-security-policy', policyFor(inlineStyle), ...security];
}

function policyFor(inlineStyle: string): string {
  const hash = createHash('sha256').update(inlineStyle).digest('base64');
  return [
    "default-src 'none'",
    "script-src 'self'",
    inlineStyle === '' ? "style-src 'self'" : `style-src 'self' 'sha256-${hash}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
