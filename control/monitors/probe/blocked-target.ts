import { findRefusal, type Route } from '../../../lib/outbound/connect.js';
import { metadataMessage } from '../../../lib/outbound/egress-error.js';
import { parseTcpUrl } from '../parse-target.js';

/**
 * Returns a warning when the address of a monitor's URL is blocked now, so that the monitor cannot be checked; else
 * `undefined`. The address may change with the next answer of a name server, so this refuses nothing.
 */
export async function explainBlockedTarget(route: Route, url: string): Promise<string | undefined> {
  const target = parseTcpUrl(url) ?? parseWebUrl(url);
  const refusal = target && (await findRefusal(route, target.host));
  if (target === undefined || refusal === undefined) return undefined;
  if (refusal === 'metadata') return `The monitor cannot be checked. ${metadataMessage}`;
  return `The monitor cannot be checked: ${target.host} is not, or does not lead to, a public address. To check it, allow \
private addresses under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on. Until then nothing \
of it is observed.`;
}

function parseWebUrl(url: string): { host: string; port: number } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usual) };
}
