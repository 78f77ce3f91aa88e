import { isIPv6 } from 'node:net';
import { problemOfOutboundUrl } from '../../../lib/web-address.js';
import { parseTcpUrl } from '../parse-target.js';

/** The settings of a monitor. In a suggested URL, words in capitals stand for what only a person knows. */
export type SiteMonitor = { kind: 'http' | 'tcp'; url: string; tlsExpiryDays?: number };

/** The monitor that a site becomes; or why it becomes none, and the monitor that a person can create in its place. */
export type SiteTarget = SiteMonitor | { reason: string; suggested: SiteMonitor };

type Site = {
  url: string;
  /** `http`, `tcp-ping`, `ws` or `ssl`; undefined when `.upptimerc.yml` does not have the site. */
  check: string | undefined;
  port: string | undefined;
};

/** Upptime puts the secrets of the repository in the place of these names. Names in other cases are parts of URLs. */
const secretName = /\$[A-Z][A-Z0-9_]*/;

/** Warns as many days ahead as Upptime's check `ssl` does. */
const tlsExpiryDays = 7;

/** Finds the monitor for what Upptime checks of a site. Never repeats a user name or password that is in its URL. */
export function targetOf(site: Site): SiteTarget {
  const { url, check } = site;
  const [secret] = secretName.exec(url) ?? [];
  if (secret !== undefined) return refuseSecret(site, secret);
  if (check === 'tcp-ping' || /^tcp:/i.test(url)) return tcpTarget(site);
  if (check === 'ws' || /^wss?:/i.test(url)) {
    const { hostname = 'HOST', port = '', protocol = '' } = parseUrl(url) ?? {};
    return {
      reason: 'Heartline opens no WebSocket; a tcp monitor checks whether its port is open',
      suggested: tcpOf(hostname, port || (protocol === 'ws:' ? '80' : '443')),
    };
  }
  if (check === 'ssl') return refuseCertificate(site);
  return /^https?:/i.test(url) ? httpTarget(url) : otherTarget(site);
}

function tcpTarget({ url, port }: Site): SiteTarget {
  if (parseTcpUrl(url) !== undefined) return { kind: 'tcp', url };
  const host = parseUrl(url)?.hostname ?? url;
  const target = tcpOf(host, port ?? '');
  if (parseTcpUrl(target.url) !== undefined) return target;
  const isHost = parseTcpUrl(tcpOf(host, '1').url) !== undefined;
  return {
    reason: `.upptimerc.yml has ${port === undefined ? 'no port' : 'no usable host and port'} for it`,
    suggested: tcpOf(isHost ? host : 'HOST', 'PORT'),
  };
}

function httpTarget(url: string): SiteTarget {
  const problem = problemOfOutboundUrl(url);
  if (problem === undefined) return { kind: 'http', url };
  return {
    reason: URL.canParse(url) ? problem : 'its URL is not valid',
    suggested: { kind: 'http', url: withoutCredentials(url) },
  };
}

/** A host without a scheme is the target of curl, for which it is HTTP, when the configuration does not say otherwise. */
function otherTarget(site: Site): SiteTarget {
  const { url, check } = site;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(url);
  if (!hasScheme && check !== undefined) return httpTarget(`http://${url}`);
  const { hostname = 'HOST', port = '' } = parseUrl(hasScheme ? url : `http://${url}`) ?? {};
  return {
    reason: hasScheme
      ? 'its URL is neither of HTTP nor of TCP'
      : 'its URL has no scheme, and .upptimerc.yml does not say how it is checked',
    suggested: tcpOf(hostname, port || 'PORT'),
  };
}

function refuseSecret({ check, port = 'PORT', url }: Site, secret: string): SiteTarget {
  const where = `its URL is in the secret ${secret}, which the repository does not hold`;
  if (check === 'tcp-ping') return { reason: where, suggested: tcpOf('HOST', port) };
  const suggested = withoutCredentials(url);
  const advice = suggested.includes(secret) ? `; put its value in the place of ${secret}` : '';
  return { reason: `${where}${advice}`, suggested: { kind: 'http', url: suggested } };
}

function refuseCertificate({ url, port = '443' }: Site): SiteTarget {
  const hostname = (parseUrl(url) ?? parseUrl(`https://${url}`))?.hostname ?? 'HOST';
  return {
    reason: `Upptime checks its certificate alone; an http monitor with --tls-expiry-days ${tlsExpiryDays} checks both`,
    suggested: {
      kind: 'http',
      url: `https://${hostname}${port === '443' ? '' : `:${port}`}/`,
      tlsExpiryDays,
    },
  };
}

/**
 * Returns a URL of HTTP without its user name and password; `https://HOST/` when it is none, or has them in a place where
 * only a parser finds them, as `https:user:password@host` has. What the parser returns has secret names in small letters.
 */
function withoutCredentials(url: string): string {
  const usual = /^(https?:\/\/)(?:[^\s/?#\\]*@)?([^\s/?#\\@][^/?#@]*(?:[/?#].*)?)$/i.exec(url);
  const [, scheme, rest] = (URL.canParse(url) && usual) || [];
  return scheme === undefined ? 'https://HOST/' : `${scheme}${rest}`;
}

function tcpOf(host: string, port: string): SiteMonitor {
  return { kind: 'tcp', url: `tcp://${isIPv6(host) ? `[${host}]` : host}:${port}` };
}

function parseUrl(text: string): URL | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}
