/** A text with its marks. Every text in it is plain; the code that draws the tree escapes it. */
export type Block =
  | { kind: 'paragraph'; children: readonly Inline[] }
  /** `start` is the first number of a numbered list; null for one with bullets. */
  | { kind: 'list'; start: number | null; items: readonly (readonly Block[])[] }
  | { kind: 'codeBlock'; text: string }
  /** The first row has the titles of the columns. A row may have fewer cells than there are columns. */
  | { kind: 'table'; aligns: readonly Align[]; rows: readonly Row[] };

/** How a column of a table is aligned; null for as texts are. */
export type Align = 'left' | 'center' | 'right' | null;
export type Row = readonly (readonly Inline[])[];

/** `url` has the scheme https, http or mailto. A link holds no link, and neither bold nor italic text its like. */
export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis'; children: readonly Inline[] }
  | { kind: 'link'; url: string; children: readonly Inline[] };
