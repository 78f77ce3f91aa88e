/** Where the address of a store comes from: a variable of the environment, or the service that runs on a folder. */
export type StoreSource = 'DATABASE_URL' | 'CLICKHOUSE_URL' | { folder: string };

export type StoreKind = keyof typeof storeNames;

/** The address of a store, and the setting that gives it. */
export type StoreAddress = { url: string; source: StoreSource };

const storeNames = { postgres: 'PostgreSQL', clickhouse: 'ClickHouse' } as const;

type Reason = { what: string; correct: string };

/** Reasons by the code of the network, of PostgreSQL (SQLSTATE) or of ClickHouse; `correct` is what to look at. */
const reasons: Readonly<Record<string, Reason>> = {
  ECONNREFUSED: { what: 'nothing listens there', correct: 'Start it, or correct' },
  ENOTFOUND: { what: 'there is no host of that name', correct: 'Correct the host in' },
  EAI_AGAIN: { what: 'its host name cannot be looked up', correct: 'Check the DNS, or correct' },
  ECONNRESET: { what: 'it closes the connection', correct: 'Check the scheme and the port in' },
  CONNECTION_CLOSED: { what: 'it closes the connection', correct: 'Check the port in' },
  CONNECT_TIMEOUT: { what: 'it does not answer', correct: 'Check the firewall, and the address in' },
  ETIMEDOUT: { what: 'it does not answer', correct: 'Check the firewall, and the address in' },
  EHOSTUNREACH: { what: 'its host cannot be reached', correct: 'Check the network, and the address in' },
  ENETUNREACH: { what: 'its network cannot be reached', correct: 'Check the network, and the address in' },
  '28P01': { what: 'it refuses the user or the password', correct: 'Correct them in' },
  '28000': { what: 'it refuses the user', correct: 'Correct the user in' },
  '3D000': { what: 'it has no such database', correct: 'Create the database, or correct its name in' },
  '53300': { what: 'all its connections are taken', correct: 'Raise max_connections, or use another' },
  '57P03': {
    what: 'it is starting or stopping',
    correct: 'Run the command again in a moment; the address is',
  },
  '194': { what: 'it refuses the user or the password', correct: 'Correct them in' },
  '516': { what: 'it refuses the user or the password', correct: 'Correct them in' },
  '497': { what: 'its user may not do this', correct: 'Grant the privileges to the user of' },
};

/** First lines are enough: what is not a store may answer with a page of HTML. */
const detailCharsMax = 200;

/**
 * Makes the first request to a store.
 *
 * @throws Error with one sentence that names the store, its host, the reason and what to correct, and never contains the
 *   password of the URL.
 */
export async function reachStore(
  store: StoreKind,
  address: StoreAddress,
  attempt: () => PromiseLike<unknown>,
): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    throw new Error(explainRefusal(store, address, error), { cause: error });
  }
}

function explainRefusal(store: StoreKind, { url, source }: StoreAddress, error: unknown): string {
  const code = codeOf(error);
  const reason = code === undefined ? undefined : reasons[code];
  const what = reason === undefined ? detailOf(error, url) : `${reason.what} (${code})`;
  const of = typeof source === 'string' ? `, from ${source},` : ` of the service on ${source.folder}`;
  const advice =
    typeof source === 'string'
      ? `${reason?.correct ?? 'Check'} ${source}.`
      : 'Stop the service and start it again; its log says more.';
  return `${storeNames[store]} at ${hostOf(url)}${of} cannot be used: ${what}. ${advice}`;
}

function hostOf(url: string): string {
  return decode(new URL(url).host) || 'its local socket';
}

/** Returns the code of the error, or of the first cause that has one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}

function detailOf(error: unknown, url: string): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const { password } = new URL(url);
  const [line = ''] = text.trim().split('\n', 1);
  const shown = line.slice(0, detailCharsMax).replace(/\.$/, '');
  return password === '' ? shown : shown.replaceAll(password, '…').replaceAll(decode(password), '…');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
