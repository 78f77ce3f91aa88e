import fc from 'fast-check';

/** A text, or a parameter with a name that is its own on every path. */
export type Segment = { text: string } | { name: string };

/** A router: where it is mounted, the paths of its routes below that, and the routers in it. */
export type Tree = {
  mount: readonly Segment[];
  routes: readonly (readonly Segment[])[];
  children: readonly Tree[];
};

/** Texts of paths, which values of parameters take as well. */
const texts = ['shops', 'items', 'a', 'b-c', 'v1.2'];
const depthMax = 3;

const segments = (level: string, lengths: { minLength: number; maxLength: number }) =>
  fc
    .array(fc.option(fc.constantFrom(...texts), { nil: undefined }), lengths)
    .map((found): Segment[] =>
      found.map((text, i) => (text === undefined ? { name: `${level}${i}` } : { text })),
    );

export const trees: fc.Arbitrary<Tree> = treesAt(1);

function treesAt(depth: number): fc.Arbitrary<Tree> {
  return fc.record({
    mount: segments(`m${depth}x`, { minLength: 1, maxLength: 2 }),
    routes: fc.array(segments(`r${depth}x`, { minLength: 0, maxLength: 2 }), { minLength: 1, maxLength: 3 }),
    children: depth === depthMax ? fc.constant([]) : fc.array(treesAt(depth + 1), { maxLength: 2 }),
  });
}

/** Values of parameters: some that are nowhere else, and some that are texts of paths. */
export const values = fc.oneof(
  fc.constantFrom(...texts),
  fc.integer({ min: 10_000_000, max: 99_999_999 }).map((number) => `secret${number}`),
  fc.constantFrom('secret%2Fsecret', 'secret%20%3Fsecret', 'Secret.secret-secret'),
);

export function isSecret(text: string): boolean {
  return /secret/i.test(text);
}

export function pathOf(path: readonly Segment[]): string {
  return `/${path.map((one) => ('text' in one ? one.text : `:${one.name}`)).join('/')}`;
}

/** The paths of all routes of a tree. */
export function routesOf(tree: Tree, around: readonly Segment[] = []): (readonly Segment[])[] {
  const mount = [...around, ...tree.mount];
  return [
    ...tree.routes.map((route) => [...mount, ...route]),
    ...tree.children.flatMap((child) => routesOf(child, mount)),
  ];
}

/** Leaves out routes that differ from others only in the names of parameters, which some routers refuse. */
export function withoutTwins(tree: Tree, around: readonly Segment[] = [], seen = new Set<string>()): Tree {
  const mount = [...around, ...tree.mount];
  const routes = tree.routes.filter((route) => {
    const shape = pathOf([...mount, ...route]).replace(/:\w+/g, ':');
    return !seen.has(shape) && seen.add(shape);
  });
  return { ...tree, routes, children: tree.children.map((child) => withoutTwins(child, mount, seen)) };
}
