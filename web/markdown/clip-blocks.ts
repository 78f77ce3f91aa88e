import { clipText } from '../../lib/clip-text.js';
import type { Block, Inline, Row } from './tree.js';

/** A new line counts as so many characters, because many short lines take as much room as long ones. */
const lineChars = 20;

const moreText: Inline = { kind: 'text', text: '…' };
const moreRow: Row = [[moreText]];
const moreBlock: Block = { kind: 'paragraph', children: [moreText] };

/** Cuts blocks to about `chars` characters, and ends them with an ellipsis where it cuts. */
export function clipBlocks(blocks: readonly Block[], chars: number): readonly Block[] {
  // The first line is free.
  let left = chars + lineChars;
  let hasEllipsis = false;

  function clip(text: string): string {
    const isLonger = text.length > left;
    const shown = isLonger ? clipText(text, Math.max(left, 0)) : text;
    hasEllipsis ||= isLonger;
    left -= text.length;
    return shown;
  }

  function clipInline(node: Inline): Inline {
    if (node.kind === 'break') {
      left -= lineChars;
      return node;
    }
    if ('text' in node) return { ...node, text: clip(node.text) };
    return { ...node, children: clipEach(node.children, clipInline, moreText) };
  }

  function clipBlock(block: Block): Block {
    if (block.kind === 'list') return { ...block, items: clipEach(block.items, clipItem, [moreBlock]) };
    if (block.kind === 'table') return { ...block, rows: clipEach(block.rows, clipRow, moreRow) };
    left -= lineChars;
    if (block.kind === 'codeBlock') return { ...block, text: clip(block.text) };
    return { ...block, children: clipEach(block.children, clipInline, moreText) };
  }

  function clipRow(row: Row): Row {
    left -= lineChars;
    return row.map((cell) => clipEach(cell, clipInline, moreText));
  }

  function clipItem(item: readonly Block[]): readonly Block[] {
    return clipEach(item, clipBlock, moreBlock);
  }

  /** Keeps the nodes that begin before the cut. */
  function clipEach<Node>(nodes: readonly Node[], clipNode: (node: Node) => Node, more: Node): Node[] {
    const shown: Node[] = [];
    for (const node of nodes) {
      if (left >= 0) shown.push(clipNode(node));
      else if (!hasEllipsis) {
        shown.push(more);
        hasEllipsis = true;
      } else break;
    }
    return shown;
  }

  return clipEach(blocks, clipBlock, moreBlock);
}
