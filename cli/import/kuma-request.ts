import { httpDefaults } from '../../contract/monitors.js';
import type { Settings } from './imported.js';
import { isSet } from './keys.js';
import {
  basicAuthorization,
  expectBodyOf,
  joinHeaders,
  methodOf,
  type Note,
  noteRedirects,
  statusesOf,
  takeAddress,
} from './request.js';
import { flagOf, listOf, numberOf, type Row, rowOf, textOf } from './values.js';

/** Content types of Uptime Kuma by the encoding of a body; JSON is the default. */
const contentTypes: Readonly<Record<string, string>> = {
  ...{ json: 'application/json', xml: 'text/xml; charset=utf-8', form: 'application/x-www-form-urlencoded' },
};
/** Uptime Kuma's own default. */
const redirectsDefault = 10;

/** The request of a monitor of the kind `http` or `keyword`; a sentence that says why it cannot be sent. */
export function kumaRequest(row: Row, notes: Note[]): Omit<Settings, 'name'> | string {
  const { url, authorization } = takeAddress(textOf(row['url']));
  if (!/^https?:\/\//i.test(url)) return 'it has no address that begins with http:// or https://';
  const isKeyword = row['type'] === 'keyword';
  if (isKeyword && flagOf(row['invert_keyword'])) {
    return 'it fails when the text is there, which monitors here never do';
  }
  const accepted = acceptedOf(row);
  const expectStatus = accepted.length === 0 ? httpDefaults.expectStatus : statusesOf(accepted, notes);
  if (expectStatus === undefined) return `it accepts ${accepted.join(', ')}, which are no statuses of HTTP`;
  if (flagOf(row['ignore_tls'])) notes.push('a certificate that is not valid fails here');
  if (flagOf(row['expiry_notification'])) {
    notes.push('a certificate that ends soon was announced: make a channel for certificates');
  }
  noteRedirects({ redirectsMax: numberOf(row['maxredirects']) ?? redirectsDefault, expectStatus }, notes);
  if (authorization !== undefined) {
    notes.push({ mended: 'the user name and the password of its address are sent in a header' });
  }
  const body = textOf(row['body']);
  const sendsBody = body.trim() !== '';
  const headers = joinHeaders(
    authorization === undefined ? [] : [['Authorization', authorization]],
    sendsBody ? [['Content-Type', contentTypeOf(row, notes)]] : [],
    signInOf(row, notes),
    headersOf(row, notes),
  );
  const keyword = isKeyword ? textOf(row['keyword']) : '';
  return {
    ...{ type: 'http', url, method: methodOf(textOf(row['method']), notes), expectStatus },
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(sendsBody && { body }),
    ...(keyword !== '' && { expectBody: expectBodyOf(keyword, notes) }),
  };
}

/** The database has the list as JSON. */
function acceptedOf(row: Row): string[] {
  const list = listOf(row['accepted_statuscodes']);
  return (list.length > 0 ? list : listOf(row['accepted_statuscodes_json'])).map(textOf);
}

function contentTypeOf(row: Row, notes: Note[]): string {
  const encoding = textOf(row['http_body_encoding']) || 'json';
  const known = contentTypes[encoding];
  if (known === undefined) notes.push(`its body is sent as JSON, and not as ${encoding}`);
  return known ?? 'application/json';
}

/** Versions before 1.18 have no kinds of signing in: a user name is enough. */
function signInOf(row: Row, notes: Note[]): [string, string][] {
  const user = textOf(row['basic_auth_user']);
  const method = 'auth_method' in row ? textOf(row['auth_method']) : 'basic';
  if (method === 'basic' && user !== '') {
    return [['Authorization', basicAuthorization(user, textOf(row['basic_auth_pass']))]];
  }
  if (method === 'bearer' && isSet(row['bearer_token'])) {
    return [['Authorization', `Bearer ${textOf(row['bearer_token'])}`]];
  }
  if (method !== '' && method !== 'basic' && method !== 'null') {
    notes.push(`it signs in with ${method}, which monitors here do not`);
  }
  return [];
}

function headersOf(row: Row, notes: Note[]): [string, string][] {
  const headers = textOf(row['headers']);
  const entries = Object.entries(rowOf(row['headers']));
  if (headers.trim() !== '' && entries.length === 0 && headers.trim() !== '{}') {
    notes.push({ mended: 'its headers are no JSON, and are not sent' });
  }
  return entries.map(([name, value]) => [name, textOf(value)]);
}
