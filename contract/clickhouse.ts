/** Address of ClickHouse's HTTP interface, at which tools read the tables of a page. */
export const doorPath = '/clickhouse';

/** Names of the output formats that tools may ask for, with the media types that ClickHouse gives them. */
export const doorFormats = {
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedWithNames: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedWithNamesAndTypes: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedRaw: 'text/tab-separated-values; charset=UTF-8',
  TSV: 'text/tab-separated-values; charset=UTF-8',
  TSVWithNames: 'text/tab-separated-values; charset=UTF-8',
  TSVWithNamesAndTypes: 'text/tab-separated-values; charset=UTF-8',
  TSVRaw: 'text/tab-separated-values; charset=UTF-8',
  TSKV: 'text/tab-separated-values; charset=UTF-8',
  CSV: 'text/csv; charset=UTF-8; header=absent',
  CSVWithNames: 'text/csv; charset=UTF-8; header=present',
  CSVWithNamesAndTypes: 'text/csv; charset=UTF-8; header=present',
  JSON: 'application/json; charset=UTF-8',
  JSONStrings: 'application/json; charset=UTF-8',
  JSONCompact: 'application/json; charset=UTF-8',
  JSONCompactStrings: 'application/json; charset=UTF-8',
  JSONColumnsWithMetadata: 'application/json; charset=UTF-8',
  JSONObjectEachRow: 'application/json; charset=UTF-8',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONLines: 'application/x-ndjson; charset=UTF-8',
  NDJSON: 'application/x-ndjson; charset=UTF-8',
  JSONStringsEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRowWithNames: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRowWithNamesAndTypes: 'application/x-ndjson; charset=UTF-8',
  JSONCompactStringsEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactStringsEachRowWithNames: 'application/x-ndjson; charset=UTF-8',
  JSONCompactStringsEachRowWithNamesAndTypes: 'application/x-ndjson; charset=UTF-8',
  Native: 'application/octet-stream',
  RowBinary: 'application/octet-stream',
  RowBinaryWithNames: 'application/octet-stream',
  RowBinaryWithNamesAndTypes: 'application/octet-stream',
  Parquet: 'application/octet-stream',
  Arrow: 'application/octet-stream',
  ArrowStream: 'application/octet-stream',
  Pretty: 'text/plain; charset=UTF-8',
  PrettyCompact: 'text/plain; charset=UTF-8',
  PrettyNoEscapes: 'text/plain; charset=UTF-8',
  PrettyCompactNoEscapes: 'text/plain; charset=UTF-8',
  Vertical: 'text/plain; charset=UTF-8',
  Values: 'text/plain; charset=UTF-8',
  Null: 'text/plain; charset=UTF-8',
  Markdown: 'text/markdown; charset=UTF-8',
  XML: 'application/xml; charset=UTF-8',
} as const;
export type DoorFormat = keyof typeof doorFormats;

const byLowerCase: ReadonlyMap<string, DoorFormat> = new Map(
  // The keys of the object are these names.
  Object.keys(doorFormats).map((name) => [name.toLowerCase(), name as DoorFormat]),
);

/** Returns the format that a tool means, in whatever case; `undefined` for one that is not available. */
export function findDoorFormat(name: string): DoorFormat | undefined {
  return byLowerCase.get(name.toLowerCase());
}
