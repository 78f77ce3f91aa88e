/** One node of the syntax tree that `EXPLAIN AST` prints. */
export type AstNode = {
  /** Kind of node, such as `SelectQuery`, `Function` or `Identifier`. */
  kind: string;
  /** The text behind the kind: a name or a literal, then the alias, which nothing separates from the name. */
  text: string;
  children: AstNode[];
};

type Line = { depth: number; kind: string; text: string; childCount: number };

const childrenAtEnd = / \(children (\d+)\)$/;
const nodeLine = /^( *)([A-Za-z:]+)(?: (.*))?$/s;

/**
 * Builds the tree from the lines of `EXPLAIN AST`: a line for each node, a space of indentation for each level. Returns
 * `undefined` unless every line is a node and every node has as many children as its line says.
 *
 * The count makes the output safe to read. ClickHouse prints names and aliases as they are, so a quoted name with a line
 * break prints lines of its author's choice. Such lines can be added, never replace a real line, and cannot agree with
 * the counts of the nodes around them unless they are below a node without children of its own. The walk over the tree
 * refuses children of kinds that are leaves.
 */
export function parseAst(lines: readonly string[]): AstNode | undefined {
  const root: AstNode = { kind: 'root', text: '', children: [] };
  const open: { node: AstNode; missing: number }[] = [{ node: root, missing: 1 }];
  for (const text of lines) {
    const parsed = parseLine(text);
    if (parsed === undefined) return undefined;
    while (open.length > 1 && open.at(-1)?.missing === 0) open.pop();
    const parent = open.at(-1);
    if (parent === undefined || parent.missing === 0 || parsed.depth !== open.length - 1) return undefined;
    const node: AstNode = { kind: parsed.kind, text: parsed.text, children: [] };
    parent.node.children.push(node);
    parent.missing -= 1;
    open.push({ node, missing: parsed.childCount });
  }
  return open.every(({ missing }) => missing === 0) ? root.children[0] : undefined;
}

function parseLine(text: string): Line | undefined {
  const children = childrenAtEnd.exec(text);
  const parts = nodeLine.exec(text.slice(0, children?.index ?? text.length));
  if (parts === null) return undefined;
  const [, indent = '', kind = '', rest = ''] = parts;
  return { depth: indent.length, kind, text: rest, childCount: Number(children?.[1] ?? 0) };
}
