import { domainToASCII } from 'node:url';

type StatusRange = readonly [from: number, to: number];

/** Parses inclusive ranges of statuses such as `200-299,404`. Returns `undefined` for any other text. */
export function parseStatusRanges(text: string): StatusRange[] | undefined {
  const ranges = text.split(',').map((part): StatusRange | undefined => {
    const [, from, to = from] = /^\s*([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?\s*$/.exec(part) ?? [];
    return from === undefined || Number(from) > Number(to) ? undefined : [Number(from), Number(to)];
  });
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Parses `tcp://host:port`; an IPv6 address loses its brackets. Returns `undefined` for any other text.
 */
export function parseTcpUrl(text: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, digits] =
    /^tcp:\/\/(?:\[([\da-f:.]+)\]|([^\s/:@?#[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Ports by the names of their services, as IANA registers them and /etc/services has them. */
const portsByService: Readonly<Record<string, number>> = {
  ...{ ftp: 21, ssh: 22, telnet: 23, smtp: 25, domain: 53, http: 80, pop3: 110, imap: 143, ldap: 389 },
  ...{ https: 443, submissions: 465, submission: 587, ldaps: 636, imaps: 993, pop3s: 995, mysql: 3306 },
  ...{ rdp: 3389, postgresql: 5432, postgres: 5432, amqps: 5671, amqp: 5672, redis: 6379, mqtt: 1883 },
  ...{ mqtts: 8883, mongodb: 27017 },
};

/**
 * Completes the address of a TCP monitor: `db.example.com:5432` gets its scheme, the name of a service becomes its port,
 * and a name in Unicode its `xn--` form. Returns any other text as it is.
 */
export function completeTcpUrl(text: string): string {
  const [, host = '', port = ''] =
    /^(?:tcp:\/\/)?(\[[\da-f:.]+\]|[^\s/:@?#[\]]+):(\w{1,20})$/i.exec(text.trim()) ?? [];
  const number = /^\d+$/.test(port) ? Number(port) : portsByService[port.toLowerCase()];
  if (number === undefined) return text;
  const isPlain = /^[\x21-\x7e]*$/.test(host);
  const name = isPlain ? host : domainToASCII(host);
  return name === '' ? text : `tcp://${name}:${number}`;
}

/** Completes the address of a page: `example.com/health` gets `https://`. Returns any other text as it is. */
export function completeWebUrl(text: string): string {
  const trimmed = text.trim();
  const isHost =
    /^(?:localhost|\[[\da-f:.]+\]|[^\s/:@?#[\]]+(?:\.[^\s/:@?#[\].]+|(?=:\d)))(?::\d+)?(?:[/?#]|$)/i;
  return isHost.test(trimmed) ? `https://${trimmed}` : trimmed;
}

/** Returns why the port of an address cannot be, in a sentence; `undefined` when the address has none, or a right one. */
export function problemOfPort(text: string): string | undefined {
  const port = /^\w+:\/\/(?:\[[^\]]*\]|[^\s/:@?#[\]]+):(\d+)(?:[/?#]|$)/.exec(text)?.[1];
  if (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)) return undefined;
  return `The port of "${text}" must be 1 to 65535, not ${port}.`;
}
