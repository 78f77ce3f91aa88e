import { type ComponentChildren, Fragment } from 'preact';
import type { Block, Inline, Row } from './tree.js';

/** Inline styles of elements, for mail programs, which drop much of a style sheet. */
export type MarkdownStyles = Partial<
  Record<'paragraph' | 'list' | 'codeBlock' | 'code' | 'link' | 'table' | 'cell', string>
>;

type Props<Tree> = { nodes: Tree; styles?: MarkdownStyles };

/** Blocks as HTML. Pages, emails and feeds draw the texts of incidents with this alone. */
export function Markdown({ nodes, styles = {} }: Props<readonly Block[]>): ComponentChildren {
  return nodes.map((block, at) => <MarkdownBlock key={at} block={block} styles={styles} />);
}

function MarkdownBlock({ block, styles }: { block: Block; styles: MarkdownStyles }) {
  if (block.kind === 'paragraph') {
    return (
      <p {...styled(styles.paragraph)}>
        <Inlines nodes={block.children} styles={styles} />
      </p>
    );
  }
  if (block.kind === 'codeBlock') {
    return (
      <pre dir="ltr" {...styled(styles.codeBlock)}>
        <code>{block.text}</code>
      </pre>
    );
  }
  if (block.kind === 'table') return <Table table={block} styles={styles} />;
  const items = block.items.map((item, at) => (
    <li key={at}>
      <ItemContent nodes={item} styles={styles} />
    </li>
  ));
  if (block.start === null) return <ul {...styled(styles.list)}>{items}</ul>;
  return (
    <ol {...styled(styles.list)} {...(block.start !== 1 && { start: block.start })}>
      {items}
    </ol>
  );
}

type Cells = Extract<Block, { kind: 'table' }>;

/** A table in a box in which a wide one scrolls. Attributes align it, because the policy of pages allows no styles. */
function Table({ table, styles }: { table: Cells; styles: MarkdownStyles }) {
  const [head = [], ...rows] = table.rows;
  const row = (cells: Row, Cell: 'th' | 'td') => (
    <tr>
      {table.aligns.slice(0, cells.length).map((align, at) => (
        <Cell
          key={at}
          {...(align !== null && { align })}
          {...(Cell === 'th' && { scope: 'col' as const })}
          {...styled(styles.cell)}
        >
          <Inlines nodes={cells[at] ?? []} styles={styles} />
        </Cell>
      ))}
    </tr>
  );
  return (
    <div
      class="table-box"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls, and what scrolls is reached by keyboard.
      tabIndex={0}
      {...styled(styles.table === undefined ? undefined : 'overflow-x:auto')}
    >
      <table {...styled(styles.table)}>
        <thead>{row(head, 'th')}</thead>
        {rows.length > 0 && (
          <tbody>
            {rows.map((cells, at) => (
              <Fragment key={at}>{row(cells, 'td')}</Fragment>
            ))}
          </tbody>
        )}
      </table>
    </div>
  );
}

/** A single paragraph of an item needs no element of its own. */
function ItemContent({ nodes, styles }: { nodes: readonly Block[]; styles: MarkdownStyles }) {
  const [first, ...others] = nodes;
  if (first?.kind !== 'paragraph' || others.some(({ kind }) => kind === 'paragraph'))
    return <Markdown nodes={nodes} styles={styles} />;
  return (
    <>
      <Inlines nodes={first.children} styles={styles} />
      <Markdown nodes={others} styles={styles} />
    </>
  );
}

function Inlines({ nodes, styles }: { nodes: readonly Inline[]; styles: MarkdownStyles }): ComponentChildren {
  return nodes.map((node, at) => <InlineNode key={at} node={node} styles={styles} />);
}

function InlineNode({ node, styles }: { node: Inline; styles: MarkdownStyles }): ComponentChildren {
  switch (node.kind) {
    case 'text':
      return node.text;
    case 'break':
      return <br />;
    case 'code':
      return <code {...styled(styles.code)}>{node.text}</code>;
    case 'strong':
      return (
        <strong>
          <Inlines nodes={node.children} styles={styles} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Inlines nodes={node.children} styles={styles} />
        </em>
      );
    case 'link':
      return (
        <a href={node.url} rel="nofollow noopener ugc" {...styled(styles.link)}>
          <Inlines nodes={node.children} styles={styles} />
        </a>
      );
  }
}

const styled = (style: string | undefined): { style?: string } => (style === undefined ? {} : { style });
