/** The answer to one attempt to send a body. */
export type Answer = { status: number; retryAfter: string | undefined; text: string };
export type Failure = {
  problem: string;
  /** Whether the request may have reached the server. */
  mayBeStored: boolean;
};

export type Attempt = {
  /** Never rejects. */
  outcome: Promise<Answer | Failure>;
  abort(): void;
};

export type Target = { url: URL; key: string };

/** Sends bodies to one address; `close` ends its connections. */
export type Post = {
  send(body: string, timeoutMs: number): Attempt;
  close(): void;
};

/** How an attempt is taken. A batch that may be stored is sent again under its id, and counts once. */
export type Verdict =
  /** `reason` is of the first rejected event of the most frequent kind. */
  | { kind: 'accepted'; accepted: number; rejected: number; reason: string | undefined }
  /** Sent again it would be refused again. */
  | { kind: 'refused'; problem: string; mayBeStored: boolean }
  | { kind: 'unauthorised'; problem: string }
  | { kind: 'failed'; problem: string; mayBeStored: boolean; retryAfterMs: number | undefined };

/** Smaller bodies gain little. */
export const gzipBytesMin = 1024;
export const answerBytesMax = 64 * 1024;
const problemChars = 300;

export function judge(outcome: Answer | Failure): Verdict {
  if ('problem' in outcome) return { kind: 'failed', ...outcome, retryAfterMs: undefined };
  const { status, text } = outcome;
  const problem = `HTTP ${status} ${text.slice(0, problemChars)}`.trimEnd();
  if (status >= 200 && status < 300) return readAcknowledgement(text) ?? strange(status);
  if (status === 401 || status === 403) return { kind: 'unauthorised', problem };
  const isBusy = status === 429 || status === 503;
  // Heartline may have stored a batch although it answers 503: PostgreSQL confirmed it too late.
  if (isBusy || status === 408 || status >= 500) {
    const retryAfterMs = isBusy ? readRetryAfter(outcome.retryAfter) : undefined;
    return { kind: 'failed', problem, mayBeStored: status !== 429, retryAfterMs };
  }
  return { kind: 'refused', problem, mayBeStored: false };
}

function readAcknowledgement(text: string): Verdict | undefined {
  try {
    const { accepted, rejected, rejections } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof accepted !== 'number' || typeof rejected !== 'number') return undefined;
    return { kind: 'accepted', accepted, rejected, reason: readReason(rejections) };
  } catch {
    return undefined;
  }
}

/** Older versions of Heartline give no reason. */
function readReason(rejections: unknown): string | undefined {
  const first: unknown = Array.isArray(rejections) ? rejections[0] : undefined;
  if (typeof first !== 'object' || first === null || !('message' in first)) return undefined;
  return typeof first.message === 'string' ? first.message.slice(0, problemChars) : undefined;
}

function strange(status: number): Verdict {
  const problem = `HTTP ${status} without an acknowledgement; is the address that of Heartline?`;
  return { kind: 'refused', problem, mayBeStored: true };
}

/** RFC 9110, 10.2.3: seconds or a date. */
function readRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return waitMs > 0 ? waitMs : undefined;
}

export function headersOf(key: string, encoding: 'gzip' | undefined): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  };
}
