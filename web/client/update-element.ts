/**
 * Makes an element equal to a fresh one with few changes: what stays the same keeps focus, caret, what was typed and
 * what was opened. Elements with an id are recognised by it.
 */
export function updateElement(old: Element, fresh: Element): void {
  if (old.isEqualNode(fresh)) return;
  // Whether it is open is the visitor's decision.
  const isKept = (name: string) => name === 'open' && old.localName === 'details';
  for (const name of old.getAttributeNames()) {
    if (!fresh.hasAttribute(name) && !isKept(name)) old.removeAttribute(name);
  }
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? '';
    if (old.getAttribute(name) !== value && !isKept(name)) old.setAttribute(name, value);
  }
  let next = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    let match = next;
    while (match !== null && !isSame(match, node)) match = match.nextSibling;
    if (match === null) {
      old.insertBefore(node, next);
      continue;
    }
    while (next !== match) next = removeNode(next);
    next = match.nextSibling;
    if (match instanceof Element && node instanceof Element) updateElement(match, node);
    else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue;
  }
  while (next !== null) next = removeNode(next);
}

function isSame(a: Node, b: Node): boolean {
  return a.nodeName === b.nodeName && (a as Partial<Element>).id === (b as Partial<Element>).id;
}

/** Removes it; answers what followed. */
function removeNode(node: ChildNode | null): ChildNode | null {
  const following = node?.nextSibling ?? null;
  node?.remove();
  return following;
}
