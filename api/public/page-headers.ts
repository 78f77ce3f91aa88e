import { createHash } from 'node:crypto';

/** Of every answer in HTML of a status page; names and values in turn. */
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
 * Headers of a page in a language: it may load what its own host serves and the one inline style that is given, and
 * run, post, show and be framed by nothing else.
 */
export function pageHeaders(language: string, inlineStyle: string): string[] {
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
