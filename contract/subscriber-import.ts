/** Bounds of one import of subscribers. */
export const importLimits = { rows: 10_000, bytes: 2 * 1024 * 1024 } as const;

/** Why an import leaves out a line. */
export const importRefusals = [
  'invalidAddress',
  'consentMissing',
  'unknownLanguage',
  'repeated',
  'unsubscribed',
  'bounced',
  'tooManyUnconfirmed',
] as const;
export type ImportRefusal = (typeof importRefusals)[number];

const consentWords: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Reads a cell of the column `confirmed`, in any case. Returns `undefined` when it says neither. */
export function parseConsent(cell: string): boolean | undefined {
  return consentWords.get(cell.trim().toLowerCase());
}
