import { limits } from '../../contract/limits.js';

/**
 * The account that a failing event gives of its failure, as it is stored: secrets are replaced and every text has a bound. `json` is
 * the text of `Detail`; an empty one is of an event that counts for its type of error, while newer ones are kept.
 */
export type Sample = { errorType: string; at: number; json: string };

/**
 * A kept sample as JSON has it, which the views of `landing_blocks` read: the time is negative, because the store keeps the
 * least ones of a group.
 */
export type Detail = [
  minusAtMs: number,
  message: string,
  traceId: string,
  spanId: string,
  version: string,
  stack: string,
  attributes: [name: string, value: string][],
];

/** Samples of one type of error: how many events there were, and the newest of them. */
export type SampleGroup = { errorType: string; seen: number; kept: Sample[] };

/** Stands before the samples in the text of a message. A message has no control characters. */
const separator = '\0';

/**
 * Returns the text that carries a message together with samples, wherever only a message has its place: in records of the
 * log, in held parts, and in the landing table. Versions before samples pass it on as it is.
 */
export function joinText(message: string | undefined, samples: string): string {
  return `${message ?? ''}${separator}${samples}`;
}

/** Returns the parts of a text: `undefined` for those that it does not have. */
export function splitText(text: string): { message: string | undefined; samples: string | undefined } {
  const end = text.indexOf(separator);
  if (end === -1) return { message: text, samples: undefined };
  return { message: end === 0 ? undefined : text.slice(0, end), samples: text.slice(end + 1) };
}

/** Writes groups of samples: a list of `{"e": type of error, "n": events, "s": [details]}`. */
export function writeGroups(groups: Iterable<SampleGroup>): string {
  const texts: string[] = [];
  for (const { errorType, seen, kept } of groups) {
    const details = kept.map(({ json }) => json).join(',');
    texts.push(`{"e":${JSON.stringify(errorType)},"n":${seen},"s":[${details}]}`);
  }
  return `[${texts.join(',')}]`;
}

/** Reads what writeGroups() has written. @throws SyntaxError, TypeError for another text. */
export function readGroups(text: string): SampleGroup[] {
  const groups = JSON.parse(text) as { e: string; n: number; s: Detail[] }[];
  return groups.map(({ e, n, s }) => ({
    errorType: e,
    seen: n,
    kept: s.map((detail) => ({ errorType: e, at: -detail[0], json: JSON.stringify(detail) })),
  }));
}

/** Bytes of the parts of a group that every one has. */
export const groupBytesMax = 48 + 6 * limits.errorTypeChars;
