import type { Answer } from './send.js';

/** Something that was sent under a unique name, with its outcome so far. */
export type Entry = { name: string; answer?: Answer };

/** Everything sent of one kind. */
export type Ledger<Of extends Entry = Entry> = {
  what: string;
  /** The status that acknowledges: the entry is stored, or will be. */
  acknowledgedBy: number;
  entries: Of[];
};

/** Numbers of entries. */
export type Balance = {
  what: string;
  sent: number;
  acknowledged: number;
  buffered: number;
  refused: number;
  unanswered: number;
  stored: number;
  /** Acknowledged but not stored. */
  lost: number;
  /** Stored more than once. */
  twice: number;
  /** Stored in part, or although the answer said that nothing was stored. */
  wrong: number;
  slowestSeconds: number;
};

/** Answers that a client may get while stores come and go; any other one is a defect. */
const refusedBy = 503;

/** How often an entry is stored: 0, 1, 2, …, or a fraction for a part of it. */
export type CountStored<Of extends Entry> = (entry: Of) => number;

/** Compares answers with what is stored; `findings` gets a sentence on each entry that does not match. */
export function balance<Of extends Entry>(
  { what, acknowledgedBy, entries }: Ledger<Of>,
  countStored: CountStored<Of>,
  findings: string[],
): Balance {
  const sums: Balance = {
    ...{ what, sent: entries.length, acknowledged: 0, buffered: 0, refused: 0, unanswered: 0, stored: 0 },
    ...{ lost: 0, twice: 0, wrong: 0, slowestSeconds: 0 },
  };
  for (const entry of entries) {
    const { name, answer } = entry;
    const count = countStored(entry);
    const isAcknowledged = answer?.status === acknowledgedBy;
    if (answer === undefined) sums.unanswered += 1;
    else if (isAcknowledged) sums.acknowledged += 1;
    else sums.refused += 1;
    if (isAcknowledged && answer.text.includes('delivery buffer')) sums.buffered += 1;
    if (answer !== undefined) sums.slowestSeconds = Math.max(sums.slowestSeconds, answer.seconds);
    if (count >= 1) sums.stored += 1;
    const verdict = judge(answer, isAcknowledged, count);
    if (verdict === undefined) continue;
    sums[verdict] += 1;
    findings.push(`${what}: ${name} is ${verdict}: stored ${count} times, answered ${describe(answer)}`);
  }
  for (const text of unexpected(entries, acknowledgedBy)) findings.push(`${what}: ${text}`);
  return sums;
}

function judge(
  answer: Answer | undefined,
  isAcknowledged: boolean,
  count: number,
): 'lost' | 'twice' | 'wrong' | undefined {
  if (count > 1) return 'twice';
  if (!Number.isInteger(count)) return 'wrong';
  if (isAcknowledged) return count === 0 ? 'lost' : undefined;
  return count > 0 && answer?.text.includes('nothing') ? 'wrong' : undefined;
}

function unexpected(entries: readonly Entry[], acknowledgedBy: number): string[] {
  const others = entries.flatMap(({ answer }) =>
    answer === undefined || answer.status === acknowledgedBy || answer.status === refusedBy ? [] : [answer],
  );
  return [...new Set(others.map(describe))].map((text) => `answered ${text}`);
}

function describe(answer: Answer | undefined): string {
  return answer === undefined ? 'nothing' : `${answer.status} ${answer.text.slice(0, 200)}`;
}
