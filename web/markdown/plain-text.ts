import { parseMarkdown } from './parse-markdown.js';
import type { Block, Inline } from './tree.js';

/** A text of an incident in one line without marks, for titles, previews and screen readers. */
export function toOneLine(text: string): string {
  return parseMarkdown(text)
    .map((block) => writeBlock(block, writeLabel))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A text of an incident as the text part of an email has it: without marks, but with the addresses of its links. */
export function toPlainText(text: string): string {
  return parseMarkdown(text)
    .map((block) => writeBlock(block, writeWithAddress))
    .join('\n\n');
}

type Link = Extract<Inline, { kind: 'link' }>;
type WriteLink = (link: Link) => string;

const writeLabel: WriteLink = ({ children }) => writeInlines(children, writeLabel);

const writeWithAddress: WriteLink = (link) => {
  const label = writeLabel(link);
  return isSameAddress(label, link.url) ? label : `${label} (${link.url})`;
};

/** Whether a link says where it leads: the parser writes some letters of an address in another way. */
function isSameAddress(label: string, url: string): boolean {
  if (url === `mailto:${label}`) return true;
  return URL.canParse(label) && new URL(label).href === new URL(url).href;
}

function writeBlock(block: Block, writeLink: WriteLink): string {
  if (block.kind === 'paragraph') return writeInlines(block.children, writeLink);
  if (block.kind === 'codeBlock') return indent(`    ${block.text}`, 4);
  if (block.kind === 'table') {
    return block.rows.map((row) => row.map((cell) => writeInlines(cell, writeLink)).join(' | ')).join('\n');
  }
  const { start, items } = block;
  return items
    .map((item, at) => {
      const mark = start === null ? '- ' : `${start + at}. `;
      const text = item.map((part) => writeBlock(part, writeLink)).join('\n');
      return `${mark}${indent(text, mark.length)}`;
    })
    .join('\n');
}

/** Indents all lines but the first. */
const indent = (text: string, spaces: number): string => text.replaceAll('\n', `\n${' '.repeat(spaces)}`);

function writeInlines(nodes: readonly Inline[], writeLink: WriteLink): string {
  const write = (node: Inline): string => {
    if (node.kind === 'break') return '\n';
    if (node.kind === 'link') return writeLink(node);
    return 'text' in node ? node.text : writeInlines(node.children, writeLink);
  };
  return nodes.map(write).join('');
}
