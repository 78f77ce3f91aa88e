import { LRUCache } from 'lru-cache';
import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it';
import type { Align, Block, Inline, Row } from './tree.js';

/**
 * Lists in lists, counted twice: once for the list and once for its item. Beyond, the parser drops text, so a text with
 * deeper lists is read again without lists.
 */
const nestingMax = 20;
/** Characters of all texts whose trees are kept, because an email to a thousand subscribers draws one text as often. */
const keptCharsMax = 400_000;

const rules = ['table', 'heading', 'lheading', 'fence', 'paragraph', 'list'];
const inlineRules = ['escape', 'backticks', 'emphasis', 'link', 'image', 'autolink', 'linkify', 'newline'];

const parser = createParser([...rules, ...inlineRules]);
const parserWithoutLists = createParser([...rules, ...inlineRules].filter((rule) => rule !== 'list'));
const kept = new LRUCache<string, readonly Block[]>({
  maxSize: keptCharsMax,
  sizeCalculation: (_, text) => text.length + 1,
});

/**
 * Parses the Markdown that texts of incidents understand: paragraphs, line breaks, lists, bold, italic, code, links and
 * addresses, and tables as GitHub has them. Headings become bold paragraphs, and images become links. Everything else, HTML included, is text.
 */
export function parseMarkdown(text: string): readonly Block[] {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const tokens = parser.parse(text, {});
  const blocks = readBlocks((tokens.some(isDropped) ? parserWithoutLists.parse(text, {}) : tokens).values());
  kept.set(text, blocks);
  return blocks;
}

/** Whether the parser has dropped the content of this item. */
const isDropped = ({ type, level }: Token): boolean => type === 'list_item_open' && level + 1 >= nestingMax;

/** The preset `zero` knows nothing, so that only what is named here has a meaning. */
function createParser(enabled: readonly string[]): MarkdownIt {
  const created = new createMarkdownIt('zero', { html: false, linkify: true, maxNesting: nestingMax });
  created.enable([...enabled]);
  created.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  created.linkify.add('ftp:', null).add('//', null);
  created.validateLink = isLinkable;
  // The address is shown as it is written: the usual form turns `xn--` into letters that may look like others.
  created.normalizeLinkText = (url) => url;
  return created;
}

/** Without its slashes, an address such as `https:x` leads to a place on the page itself. */
function isLinkable(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);
}

/** Reads blocks up to the end of the one that contains them. The parser bounds how deep they nest. */
function readBlocks(tokens: ArrayIterator<Token>, end?: string): Block[] {
  const blocks: Block[] = [];
  let isHeading = false;
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const token = next.value;
    if (token.type === end) break;
    if (token.type === 'heading_open') isHeading = true;
    if (token.type === 'heading_close') isHeading = false;
    if (token.type === 'inline') blocks.push(readParagraph(token, isHeading));
    if (token.type === 'table_open') blocks.push(readTable(tokens));
    if (token.type === 'fence') blocks.push({ kind: 'codeBlock', text: token.content.replace(/\n$/, '') });
    if (token.type === 'bullet_list_open')
      blocks.push({ kind: 'list', start: null, items: readItems(tokens) });
    if (token.type === 'ordered_list_open')
      blocks.push({ kind: 'list', start: Number(token.attrGet('start') ?? 1), items: readItems(tokens) });
  }
  return blocks;
}

function readItems(tokens: ArrayIterator<Token>): Block[][] {
  const items: Block[][] = [];
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    if (next.value.type !== 'list_item_open') break;
    items.push(readBlocks(tokens, 'list_item_close'));
  }
  return items;
}

const alignOf: Readonly<Record<string, Align>> = {
  ...{ 'text-align:left': 'left', 'text-align:center': 'center', 'text-align:right': 'right' },
};

/** Reads up to the end of a table. */
function readTable(tokens: ArrayIterator<Token>): Block {
  const aligns: Align[] = [];
  const rows: Row[] = [];
  let row: Inline[][] = [];
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    const token = next.value;
    if (token.type === 'table_close') break;
    if (token.type === 'tr_open') row = [];
    if (token.type === 'th_open') aligns.push(alignOf[String(token.attrGet('style'))] ?? null);
    if (token.type === 'inline') row.push(readInlines(token.children ?? [], false));
    if (token.type === 'tr_close') rows.push(withoutEmptyEnd(row));
  }
  return { kind: 'table', aligns, rows };
}

/** The parser adds the cells that a row lacks: 20,000 characters would become 65,000 cells. */
function withoutEmptyEnd(row: readonly Inline[][]): Row {
  return row.slice(0, row.findLastIndex((cell) => cell.length > 0) + 1);
}

function readParagraph({ children }: Token, isHeading: boolean): Block {
  const inlines = readInlines(children ?? [], isHeading);
  return { kind: 'paragraph', children: isHeading ? [{ kind: 'strong', children: inlines }] : inlines };
}

const openers = { strong_open: 'strong', em_open: 'emphasis', link_open: 'link' } as const;
const closers = { strong_close: 'strong', em_close: 'emphasis', link_close: 'link' } as const;

/**
 * Reads what is in a paragraph. Bold in bold is the same as bold, so however deep a text nests its marks, the tree has
 * three levels. Without recursion, because marks may nest thousands deep.
 */
function readInlines(tokens: readonly Token[], isStrong: boolean): Inline[] {
  const root: Inline[] = [];
  const parents = [root];
  const open = { strong: isStrong ? 1 : 0, emphasis: 0, link: 0 };
  let url = '';
  for (const token of tokens) {
    const parent = parents.at(-1) ?? root;
    const opened = openers[token.type as keyof typeof openers]; // `undefined` for any other type
    const closed = closers[token.type as keyof typeof closers];
    if (opened !== undefined) {
      if (opened === 'link') url = String(token.attrGet('href'));
      // The parser takes `[label]()` for a link that leads nowhere.
      const isNode = open[opened] === 0 && (opened !== 'link' || isLinkable(url));
      parents.push(isNode ? append(parent, opened, url) : parent);
      open[opened] += 1;
    } else if (closed !== undefined) {
      const children = parents.pop();
      open[closed] -= 1;
      // A link without a text would be one that nobody sees.
      if (closed === 'link' && children?.length === 0 && isLinkable(url))
        children.push({ kind: 'text', text: url });
    } else {
      parent.push(readLeaf(token, open.link > 0));
    }
  }
  return root;
}

/** Appends a node that has children, and returns those. */
function append(parent: Inline[], kind: 'strong' | 'emphasis' | 'link', url: string): Inline[] {
  const children: Inline[] = [];
  parent.push(kind === 'link' ? { kind, url, children } : { kind, children });
  return children;
}

function readLeaf(token: Token, isInLink: boolean): Inline {
  const { type, content } = token;
  if (type === 'softbreak' || type === 'hardbreak') return { kind: 'break' };
  if (type === 'code_inline') return { kind: 'code', text: content };
  const url = String(token.attrGet('src'));
  if (type !== 'image' || isInLink || !isLinkable(url)) return { kind: 'text', text: content };
  return { kind: 'link', url, children: [{ kind: 'text', text: content || url }] };
}
