import type { HostnameAnswer, HostnameCheck } from '../../contract/manage/pages/hostname.js';
import type { Egress, EgressAnswer } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import type { HostRecords, RecordsOf } from '../../lib/outbound/host-records.js';

type Deps = {
  recordsOf: RecordsOf;
  egress: Egress;
  /** The host name of the service itself. */
  serviceHostname: string;
  /** The origin of the page on a host. */
  originOf(hostname: string): string;
};

type Asked = {
  /** A host name as parseHostname() returns it. */
  hostname: string;
  page: { slug: string; hostname: string };
};

const requestMs = 6_000;
const noRecords: HostRecords = { cname: [], a: [], aaaa: [] };

/** The result of a request to the host. `isHere` is null when there was no answer. */
type Found = { answers: HostnameAnswer; isHere: boolean | null; detail: string; isPrivate?: boolean };

/**
 * Finds out where a host name leads, and what readers get there. The records of a name that leads to an address that is
 * not public stay secret unless such addresses are allowed. Takes at most 6 seconds.
 */
export async function checkHostname(deps: Deps, asked: Asked): Promise<HostnameCheck> {
  const { hostname } = asked;
  const [records, own, found] = await Promise.all([
    deps.recordsOf(hostname).catch(() => undefined),
    deps.recordsOf(deps.serviceHostname).catch(() => undefined),
    ask(deps, asked),
  ]);
  const { answers, isHere, isPrivate = false } = found;
  const leads = records && leadsTo(records, { hostname: deps.serviceHostname, records: own });
  const hasNone = records !== undefined && Object.values(records).every((list) => list.length === 0);
  return {
    hostname,
    records: isPrivate ? noRecords : (records ?? noRecords),
    isPointedHere: isHere ?? (isPrivate ? null : (leads ?? null)),
    answers,
    detail: hasNone && isHere === null ? `${hostname} has no record in DNS yet.` : found.detail,
  };
}

/** Whether the records are the records of the service; `undefined` when its own are unknown. */
function leadsTo(
  { cname, a, aaaa }: HostRecords,
  own: { hostname: string; records: HostRecords | undefined },
): boolean | undefined {
  if (cname.some((name) => name.toLowerCase().replace(/\.$/, '') === own.hostname)) return true;
  if (a.length + aaaa.length === 0) return false;
  if (own.records === undefined) return undefined;
  const here = new Set([...own.records.a, ...own.records.aaaa]);
  return [...a, ...aaaa].some((address) => here.has(address));
}

/**
 * The page answers on its own host alone. On another host that leads to the service, the answer to the slug of the page
 * says where the page is.
 */
async function ask({ egress, originOf }: Deps, { hostname, page }: Asked): Promise<Found> {
  const isSaved = hostname === page.hostname;
  const path = isSaved ? '/embed.json' : `/api/public/${page.slug}/summary`;
  const url = `${originOf(hostname)}${path}`;
  try {
    const headers = { accept: 'application/json' };
    const answer = await egress.send({ method: 'GET', url, headers, timeoutMs: requestMs });
    if (isSaved && isOf(answer, 'url', originOf(hostname))) {
      return { answers: 'this page', isHere: true, detail: 'The page answers there.' };
    }
    if (!isSaved && isOf(answer, 'hint', originOf(page.hostname))) {
      const detail = 'The name leads here. The page answers there once it is saved.';
      return { answers: 'nothing', isHere: true, detail };
    }
    const detail = `Another server answers there, or another page, with status ${answer.status}.`;
    return { answers: 'another', isHere: false, detail };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { kind, message } = error;
    return {
      answers: 'nothing',
      isHere: null,
      detail: message,
      isPrivate: kind === 'address' || kind === 'metadata',
    };
  }
}

/** Whether an answer is JSON with an address of this origin in a field. */
function isOf({ body }: EgressAnswer, field: string, origin: string): boolean {
  try {
    const parsed: unknown = JSON.parse(body.bytes.toString());
    const value: unknown =
      typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, field) : undefined;
    return typeof value === 'string' && value.includes(`${origin}/`);
  } catch {
    return false;
  }
}
